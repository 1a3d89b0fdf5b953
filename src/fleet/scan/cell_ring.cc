// A watch of thousands of machines holds mostly these cells. What follows from others is therefore not
// stored: the mean of a machine is its difference from the peers' median plus that median.
#include "fleet/scan/cell_ring.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lento::fleet {
namespace {

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

// Joins the statistics of two cells. The upper quantile is the larger of both, so that only a fall in both
// remains, the lower one the smaller of both.
float join_halves(size_t statistic, float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  return statistic == kUpper ? std::max(a, b) : statistic == kLower ? std::min(a, b) : (a + b) / 2;
}

}  // namespace

CellRing::CellRing(const Options& options)
    : o_(options) {
  for (size_t c = 0; c < kStatistics; ++c) {
    const bool kept = c == kMean || (c == kRaw ? o_.ranks : o_.quantiles);
    place_[c] = kept ? uint8_t(stored_++) : kNowhere;
  }
  values_.assign(o_.cells * (o_.machines + 1) * stored_, kNoValue);
}

void CellRing::push(std::span<const float> cells) {
  newest_ = (newest_ == 0 ? o_.cells : newest_) - 1;
  ++pushed_;
  float* to = values_.data() + row(0);
  for (size_t m = 0; m <= o_.machines; ++m) {
    for (size_t c = 0; c < kStatistics; ++c) {
      if (place_[c] != kNowhere)
        to[m * stored_ + place_[c]] = cells[m * kStatistics + c];
    }
  }
}

float CellRing::at(size_t machine, size_t statistic, size_t back) const {
  const float* cells = values_.data() + row(back);
  if (place_[statistic] != kNowhere)
    return cells[machine * stored_ + place_[statistic]];
  return statistic == kRaw ? cells[machine * stored_] + cells[o_.machines * stored_] : kNoValue;
}

void CellRing::forget(size_t machine) {
  for (size_t back = 0; back < o_.cells; ++back)
    std::fill_n(values_.begin() + std::ptrdiff_t(row(back) + machine * stored_), stored_, kNoValue);
}

std::vector<float> CellRing::joined() const {
  std::vector<float> out;
  out.reserve((o_.machines + 1) * kStatistics);
  for (size_t m = 0; m <= o_.machines; ++m) {
    for (size_t c = 0; c < kStatistics; ++c)
      out.push_back(join_halves(c, at(m, c, 1), at(m, c, 0)));
  }
  return out;
}

}  // namespace lento::fleet
