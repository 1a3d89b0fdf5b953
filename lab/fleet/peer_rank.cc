// Describes a window of a machine by the mean and four quantiles of its rows on the metric's scale, each
// minus the peers' median and, when there are earlier windows, minus the machine's own values there. The
// score is the largest of these differences over their spread. The spread is that of the other machines now,
// or that of earlier windows of all machines when it is larger.
#include "lab/fleet/peer_rank.h"

#include <algorithm>
#include <array>
#include <cmath>

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

// Returns the root mean square of all but one of `count` numbers, given the sum of their squares. A median of
// absolute values would be zero for counts.
double spread_without(double one, double squares, size_t count) {
  return count > 1 ? std::sqrt(std::max(0.0, squares - one * one) / double(count - 1)) : 0;
}

// The window's differences from the machines' past, divided by their spread: one score per machine.
std::vector<double> scores_of(const MetricSeries& s, size_t metric, size_t from, size_t to) {
  const size_t length = to - from;
  const size_t machines = s.machines.size();
  std::vector<float> rows;
  for (size_t step = from; step < to; ++step) {
    const auto row = s.row(metric, step);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  Scale scale = scale_of(rows, machines);
  if (scale.law == Scale::Law::Rank)
    scale.law = Scale::Law::Asinh;
  std::vector<std::vector<Features>> past;
  for (size_t end = from % length + length; end <= from; end += length)
    past.push_back(features_of(s, scale, metric, end, length));
  const std::vector<Features> now = features_of(s, scale, metric, to, length);
  std::vector<double> best(machines, 0);
  for (size_t i = 0; i < kFeatures; ++i) {
    std::vector<double> differences(machines);
    double present = 0;  // squares
    size_t machines_now = 0;
    double earlier = 0;
    size_t windows = 0;
    for (size_t m = 0; m < machines; ++m) {
      std::vector<double> own;
      for (const auto& window : past) {
        if (!std::isnan(window[m][i]))
          own.push_back(window[m][i]);
      }
      const double usual = own.size() < 2 ? 0 : evidence::median(own);
      for (const double x : own)
        earlier += (x - usual) * (x - usual);
      windows += own.size();
      differences[m] = now[m][i] - usual;
      if (std::isnan(differences[m]))
        continue;
      present += differences[m] * differences[m];
      ++machines_now;
    }
    for (size_t m = 0; m < machines; ++m) {
      if (std::isnan(differences[m]))
        continue;
      const double spread = std::max(
          {spread_without(differences[m], present, machines_now),
           std::sqrt(earlier / double(std::max<size_t>(1, windows))),
           kLeastSpread});
      best[m] = std::max(best[m], std::abs(differences[m]) / spread);
    }
  }
  return best;
}

}  // namespace

std::vector<RankedMachine>
rank_among_peers(const MetricSeries& series, size_t from, size_t to, std::span<const std::string> metrics) {
  std::vector<std::vector<double>> scores(series.machines.size());
  for (size_t k = 0; k < series.metrics.size(); ++k) {
    if (!metrics.empty() && std::ranges::count(metrics, series.metrics[k]) == 0)
      continue;
    const std::vector<double> of_metric = scores_of(series, k, from, to);
    for (size_t m = 0; m < scores.size(); ++m)
      scores[m].push_back(of_metric[m]);
  }
  std::vector<RankedMachine> out;
  for (size_t m = 0; m < scores.size(); ++m) {
    std::ranges::sort(scores[m], std::greater<>());
    const size_t top = (scores[m].size() + 3) / 4;
    double sum = 0;
    for (size_t i = 0; i < top; ++i)
      sum += scores[m][i];
    out.push_back({m, top > 0 ? sum / double(top) : 0});
  }
  std::ranges::stable_sort(out, std::greater<>(), &RankedMachine::score);
  return out;
}

}  // namespace lento::fleet
