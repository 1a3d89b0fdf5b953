// A machine's usual value is its mean plus a slope times the change of its peers' median. The slopes are
// shrunk towards 0 by empirical Bayes, more strongly the less the slopes of all machines differ beyond their
// errors. Sums are updated cell by cell, so that the past costs a hundred bytes a machine whatever its
// length.
#include "fleet/scan/usual.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "evidence/sample.h"

namespace lento::fleet {
namespace {

constexpr uint16_t kPastCells = 1000;  // number of cells in the past; the weight of older ones decays

}  // namespace

void Usual::learn(size_t machine, const Cell& cell, const Cell& common) {
  Past& past = past_[machine];
  past.count = std::min<uint16_t>(past.count + 1, kPastCells);
  const auto count = float(past.count);
  for (size_t c = 0; c < kStatistics; ++c) {
    const float v = cell[c];
    if (std::isnan(v))
      continue;
    const float off = v - past.mean[c];
    past.mean[c] += off / count;
    if (c >= kTested || !responds_ || std::isnan(common[c]))
      continue;
    Response& r = past.response[c];
    const float moved = common[c] - r.common;
    r.far = std::max(r.far, past.count > 1 ? std::abs(moved) : 0);
    r.common += moved / count;
    r.spread += (moved * (common[c] - r.common) - r.spread) / count;
    r.together += (moved * (v - past.mean[c]) - r.together) / count;
    const float square = off * (v - past.mean[c]);
    const float from_own = square - r.own;
    r.own += from_own / count;
    if (c == kMean)
      past.scatter += (from_own * (square - r.own) - past.scatter) / count;
  }
}

Usual::Slope Usual::slope_of(const Past& past, size_t statistic) const {
  const Response& r = past.response[statistic];
  if (!known(past) || !(r.spread > 0))
    return {};
  const double slope = double(r.together / r.spread);
  const double left = std::max(0.0, double(r.own) - slope * slope * double(r.spread));
  return {slope, left / (double(past.count) * double(r.spread))};
}

void Usual::refresh() {
  for (size_t c = 0; c < kTested; ++c) {
    double beyond = 0;
    size_t machines = 0;
    for (const Past& past : past_) {
      if (!known(past) || !(past.response[c].spread > 0))
        continue;
      const Slope slope = slope_of(past, c);
      beyond += slope.value * slope.value - slope.error;
      ++machines;
    }
    differ_[c] = machines > 0 ? std::max(0.0, beyond / double(machines)) : 0;
  }
}

void Usual::weigh_variances() {
  for (size_t c = 0; c < kTested; ++c) {
    Variances& all = variances_[c];
    all = {};
    for (const Past& past : past_) {
      all.sum += known(past) ? double(past.response[c].own) : 0;
      all.machines += known(past);
    }
    double excess = 0;
    for (const Past& past : past_) {
      if (known(past))  // the cells of one window are not independent
        excess += std::pow(beside_others(past, c) - 1, 2) - 2 * double(cells_) / double(past.count);
    }
    all.weight = excess > 0 ? 4 + 2 * all.machines / excess : INFINITY;
  }
}

double Usual::beside_others(const Past& past, size_t statistic) const {
  const Variances& all = variances_[statistic];
  const auto own = double(past.response[statistic].own);
  return all.machines < double(kLeastPeers) || !(all.sum > own) ? 1
                                                                : own * (all.machines - 1) / (all.sum - own);
}

double Usual::variance(size_t machine, size_t statistic) const {
  const double weight = variances_[statistic].weight;
  if (std::isinf(weight))
    return 1;
  const double windows = count(machine) / double(cells_);
  return (weight + windows * beside_others(past_[machine], statistic)) / (weight + windows);
}

double Usual::shrunk_slope(const Past& past, size_t statistic) const {
  if (differ_[statistic] == 0)
    return 0;
  const Slope slope = slope_of(past, statistic);
  return slope.value * differ_[statistic] / (differ_[statistic] + slope.error);
}

double Usual::expected(size_t machine, size_t statistic, float common) const {
  const Past& past = past_[machine];
  const double mean = double(past.mean[statistic]);
  if (statistic >= kTested || std::isnan(common))
    return mean;
  const Response& r = past.response[statistic];
  return mean + shrunk_slope(past, statistic) * double(std::clamp(common - r.common, -r.far, r.far));
}

double Usual::cell_spread(size_t machine) const {
  const Response& r = past_[machine].response[kMean];
  const double explained = shrunk_slope(past_[machine], kMean) * double(r.together);
  return std::sqrt(std::max(0.0, double(r.own) - explained));
}

std::vector<float> Usual::noisier() const {
  std::vector<float> times(past_.size(), 1);
  std::vector<float> variances;
  for (const Past& past : past_) {
    if (known(past))
      variances.push_back(past.response[kMean].own);
  }
  if (variances.size() < kLeastPeers)
    return times;
  const float typical = evidence::upper_median_reordering(std::span(variances));
  for (size_t m = 0; m < past_.size() && typical > 0; ++m) {
    const Past& past = past_[m];
    if (!known(past))
      continue;
    // Two standard errors are subtracted, so that a single burst does not make a machine noisy.
    const float surely =
        past.response[kMean].own - 2 * std::sqrt(std::max(0.0F, past.scatter / float(past.count)));
    times[m] = std::max(1.0F, surely / typical);
  }
  return times;
}

Usual::Means Usual::means(size_t machine) const {
  Means out{float(past_[machine].count)};
  std::ranges::copy(past_[machine].mean, out.begin() + 1);
  return out;
}

void Usual::set_means(size_t machine, const Means& means) {
  past_[machine] = {};
  past_[machine].count = uint16_t(std::clamp(means[0], 0.0F, float(kPastCells)));
  std::copy(means.begin() + 1, means.end(), past_[machine].mean.begin());
}

}  // namespace lento::fleet
