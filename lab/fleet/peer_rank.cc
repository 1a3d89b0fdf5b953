// Problem: of many metrics a few show the fault, several of them move together, and a healthy machine differs
// in some, too. Idea: a machine is one vector, the mean and five quantiles of each metric's rows on the
// metric's scale, minus the peers' median and, when there are earlier windows, minus the machine's own values
// there. The score is its distance d' R^-1 d by the correlations R of the other machines now and of all
// machines earlier. Vectors are fewer than their entries, so that R is shrunk towards the identity as far as
// it differs from it by chance (Schaefer and Strimmer, "A shrinkage approach to large-scale covariance matrix
// estimation", 2005).
#include "lab/fleet/peer_rank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "evidence/matrix.h"
#include "evidence/normal_factor.h"
#include "evidence/sample.h"
#include "fleet/scan/kinds.h"

namespace lento::fleet {
namespace {

constexpr std::array kShares{0.1, 0.25, 0.5, 0.75, 0.9};
constexpr size_t kFeatures = kShares.size() + 1;
constexpr double kLeastSpread = 1e-3;
using Features = std::array<double, kFeatures>;

// Describes every machine over steps [end - length, end), minus the medians over machines. NaN without
// samples.
std::vector<Features>
features_of(const MetricSeries& s, const Scale& scale, size_t metric, size_t end, size_t length) {
  std::vector<Features> out(s.machines.size());
  std::vector<float> values;
  for (size_t m = 0; m < out.size(); ++m) {
    values.clear();
    double sum = 0;
    for (size_t step = end - length; step < end; ++step) {
      const float v = s.at(metric, step, m);
      if (std::isnan(v))
        continue;
      values.push_back(scale.of(v));
      sum += double(values.back());
    }
    out[m].fill(NAN);
    if (values.empty())
      continue;
    std::ranges::sort(values);
    for (size_t i = 0; i < kShares.size(); ++i)
      out[m][i] = double(values[size_t(kShares[i] * double(values.size() - 1) + 0.5)]);
    out[m].back() = sum / double(values.size());
  }
  for (size_t i = 0; i < kFeatures; ++i) {
    std::vector<double> column;
    for (const Features& f : out) {
      if (!std::isnan(f[i]))
        column.push_back(f[i]);
    }
    const double middle = column.empty() ? NAN : evidence::median(column);
    for (Features& f : out)
      f[i] -= middle;
  }
  return out;
}

// The differences of each machine in each window, earlier ones first. A row is the vector of one machine.
struct Differences {
  evidence::Matrix rows;
  size_t machines = 0;
  std::span<const double> now(size_t machine) const {
    return rows.row(rows.rows - machines + machine);
  }
};

// Windows of one length, the last one to be judged.
struct Windows {
  size_t length = 0;
  std::vector<size_t> ends;
};

// Fills the columns of one metric, the `nth` that is judged. Missing values differ by nothing.
void fill_metric(const MetricSeries& s, size_t metric, const Windows& of, size_t nth, Differences& out) {
  const auto& [length, ends] = of;
  std::vector<float> rows;
  for (size_t step = ends.back() - length; step < ends.back(); ++step) {
    const auto row = s.row(metric, step);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  Scale scale = scale_of(rows, out.machines);
  if (scale.law == Scale::Law::Rank)
    scale.law = Scale::Law::Asinh;
  std::vector<std::vector<Features>> windows;
  for (const size_t end : ends)
    windows.push_back(features_of(s, scale, metric, end, length));
  for (size_t m = 0; m < out.machines; ++m) {
    for (size_t i = 0; i < kFeatures; ++i) {
      std::vector<double> own;
      for (size_t w = 0; w + 1 < ends.size(); ++w) {
        if (!std::isnan(windows[w][m][i]))
          own.push_back(windows[w][m][i]);
      }
      const double usual = own.size() < 2 ? 0 : evidence::median(own);
      for (size_t w = 0; w < ends.size(); ++w) {
        const double off = windows[w][m][i] - usual;
        out.rows(w * out.machines + m, nth * kFeatures + i) = std::isnan(off) ? 0 : off;
      }
    }
  }
}

Differences
differences_of(const MetricSeries& s, size_t from, size_t to, std::span<const std::string> metrics) {
  Windows windows{to - from, {}};
  for (size_t end = from % windows.length + windows.length; end <= to; end += windows.length)
    windows.ends.push_back(end);
  std::vector<size_t> chosen;
  for (size_t k = 0; k < s.metrics.size(); ++k) {
    if (metrics.empty() || std::ranges::count(metrics, s.metrics[k]) > 0)
      chosen.push_back(k);
  }
  const size_t machines = s.machines.size();
  Differences out{evidence::Matrix(windows.ends.size() * machines, chosen.size() * kFeatures), machines};
  for (size_t i = 0; i < chosen.size(); ++i)
    fill_metric(s, chosen[i], windows, i, out);
  return out;
}

// Shrinks the correlations of `rows` vectors as far as they differ by chance, by one vector at least.
// `fourth` is the sum of squared products of two entries of a vector, by which their variance is known.
void shrink(evidence::Matrix& c, double rows, double fourth) {
  double squares = 0;
  for (size_t i = 0; i < c.rows; ++i) {
    for (size_t j = 0; j < c.rows; ++j)
      squares += i == j ? 0 : c(i, j) * c(i, j);
  }
  const double by_chance = (fourth / rows - squares) / rows;
  const double share = squares > 0 ? std::clamp(by_chance / squares, 1 / rows, 1.0) : 1;
  for (size_t i = 0; i < c.rows; ++i) {
    for (double& x : c.row(i))
      x *= 1 - share;
    c(i, i) = 1;
  }
}

// Returns the distance of a machine from the other vectors. `sums` are the products of all vectors, summed,
// and `earlier` the squares of those of earlier windows.
double distance(
    const Differences& d,
    const evidence::Matrix& sums,
    std::span<const double> earlier,
    size_t machine) {
  const size_t entries = d.rows.columns;
  const std::span<const double> now = d.now(machine);
  const auto peers = double(d.machines - 1);
  const auto before = double(d.rows.rows - d.machines);
  std::vector<double> unit(entries);
  std::vector<double> own(entries);
  for (size_t i = 0; i < entries; ++i) {
    const double present = std::max(0.0, sums(i, i) - earlier[i] - now[i] * now[i]) / peers;
    unit[i] = std::max(std::sqrt(std::max(present, earlier[i] / std::max(1.0, before))), kLeastSpread);
    own[i] = now[i] / unit[i];
  }
  evidence::Matrix c(entries, entries);
  for (size_t i = 0; i < entries; ++i) {
    for (size_t j = 0; j < entries; ++j)
      c(i, j) = (sums(i, j) - now[i] * now[j]) / (unit[i] * unit[j] * (peers + before));
  }
  double fourth = 0;
  for (size_t r = 0; r < d.rows.rows; ++r) {
    double square = 0;
    double alone = 0;
    for (size_t i = 0; i < entries && d.rows.row(r).data() != now.data(); ++i) {
      const double x = std::pow(d.rows(r, i) / unit[i], 2);
      square += x;
      alone += x * x;
    }
    fourth += square * square - alone;
  }
  shrink(c, peers + before, fourth);
  const std::vector<double> solved = evidence::NormalFactor(std::move(c)).solve(own);
  return std::inner_product(own.begin(), own.end(), solved.begin(), 0.0);
}

}  // namespace

std::vector<RankedMachine>
rank_among_peers(const MetricSeries& series, size_t from, size_t to, std::span<const std::string> metrics) {
  const Differences d = differences_of(series, from, to, metrics);
  evidence::Matrix sums(d.rows.columns, d.rows.columns);
  std::vector<double> earlier(d.rows.columns);
  for (size_t r = 0; r < d.rows.rows; ++r) {
    const std::span<const double> row = d.rows.row(r);
    for (size_t i = 0; i < row.size(); ++i) {
      earlier[i] += r < d.rows.rows - d.machines ? row[i] * row[i] : 0;
      for (size_t j = 0; j < row.size(); ++j)
        sums(i, j) += row[i] * row[j];
    }
  }
  std::vector<RankedMachine> out;
  for (size_t m = 0; m < d.machines; ++m)
    out.push_back({m, distance(d, sums, earlier, m)});
  std::ranges::stable_sort(out, std::greater<>(), &RankedMachine::score);
  return out;
}

}  // namespace lento::fleet
