// Computes the numbers of a finding as means of its samples only. Onset and end are the times with the
// largest likelihood of one change of the mean (Hinkley 1970), near the time at which a test found it.
#include "fleet/scan/record.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "evidence/sample.h"

namespace lento::fleet {
namespace {

double median_row(std::vector<float>& row) {
  if (row.empty())
    return std::numeric_limits<double>::quiet_NaN();
  return double(evidence::upper_median_reordering(std::span(row)));
}

}  // namespace

size_t step_at(const fleet::MetricSeries& s, int64_t time_ms) {
  const int64_t since = std::max<int64_t>(0, time_ms - s.begin_ms);
  return std::min(size_t(since / std::max<int64_t>(1, s.step_ms)), s.steps > 0 ? s.steps - 1 : 0);
}

double mean_of(const fleet::MetricSeries& s, size_t metric, std::span<const size_t> machines, Span span) {
  double sum = 0;
  size_t count = 0;
  for (size_t step = span.begin; step < std::min(span.end, s.steps); ++step) {
    for (const size_t m : machines) {
      const float v = s.at(metric, step, m);
      if (std::isnan(v))
        continue;
      sum += double(v);
      ++count;
    }
  }
  return count ? sum / double(count) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> residuals(
    const fleet::MetricSeries& s,
    const Scale& scale,
    const Place& place,
    std::span<const size_t> peers) {
  const auto [metric, machine, span] = place;
  std::vector<double> out;
  std::vector<float> row;
  for (size_t step = span.begin; step < std::min(span.end, s.steps); ++step) {
    row.clear();
    for (const size_t m : peers) {
      if (!std::isnan(s.at(metric, step, m)))
        row.push_back(scale.of(s.at(metric, step, m)));
    }
    out.push_back(double(scale.of(s.at(metric, step, machine))) - median_row(row));
  }
  return out;
}

std::vector<std::vector<float>> residuals_of_group(
    const fleet::MetricSeries& s,
    const Scale& scale,
    size_t metric,
    std::span<const size_t> peers) {
  std::vector<std::vector<float>> out(peers.size(), std::vector<float>(s.steps));
  std::vector<float> row;
  for (size_t step = 0; step < s.steps; ++step) {
    row.clear();
    for (size_t i = 0; i < peers.size(); ++i) {
      out[i][step] = scale.of(s.at(metric, step, peers[i]));
      if (!std::isnan(s.at(metric, step, peers[i])))
        row.push_back(out[i][step]);
      else
        out[i][step] = std::numeric_limits<float>::quiet_NaN();
    }
    const auto middle = float(median_row(row));
    for (std::vector<float>& own : out)
      own[step] -= middle;
  }
  return out;
}

double mean_there(std::span<const float> residuals) {
  double sum = 0;
  size_t count = 0;
  for (const float r : residuals) {
    sum += std::isnan(r) ? 0 : double(r);
    count += !std::isnan(r);
  }
  return count ? sum / double(count) : std::numeric_limits<double>::quiet_NaN();
}

size_t best_split(std::span<const double> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  double before = 0;
  double best = -1;
  size_t at = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    before += values[i - 1];
    const auto n = double(i);
    const auto rest = double(values.size() - i);
    const double gap = before / n - (sum - before) / rest;
    if (gap * gap * n * rest > best) {
      best = gap * gap * n * rest;
      at = i;
    }
  }
  return at;
}

size_t split_of(const fleet::MetricSeries& s, const Scan& scan, size_t metric, size_t machine, Span span) {
  const auto& groups = scan.groups();
  const auto group = std::ranges::find_if(groups, [&](const std::vector<size_t>& g) {
    return std::ranges::count(g, machine) > 0;
  });
  std::vector<double> r = residuals(s, scan.scale(metric), {metric, machine, span}, *group);
  for (double& v : r)
    v = std::isnan(v) ? 0 : v;
  return span.begin + best_split(r);
}

}  // namespace lento::fleet
