#include "fleet/detect/excursions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fleet/detect/tuning.h"

namespace lento::fleet {

Excursions::Excursions(size_t machines, size_t rank, int64_t window_ms)
    : asked_(tuning::kAskedExtent[std::min(rank, tuning::kAskedExtent.size() - 1)].value),
      window_ms_(window_ms),
      running_(machines) {
}

void Excursions::see(size_t machine, const Judged& judged, int64_t now_ms) {
  if (faded_ms_ != INT64_MIN && now_ms > faded_ms_) {
    const double days = double(now_ms - faded_ms_) / 86400e3;
    largest_ *= std::exp2(-days / tuning::kExcursionHalfLife.value);
  }
  faded_ms_ = now_ms;
  Running& r = running_[machine];
  if (judged.score >= tuning::kAtRest.value) {
    if (r.begin_ms == 0)
      r.begin_ms = now_ms;
    if (judged.steady)
      r.extent = std::max(r.extent, float(extent(judged)));
    return;
  }
  const auto longest = int64_t(tuning::kExcursionWindows.value) * window_ms_;
  if (r.extent > 0 && now_ms - r.begin_ms <= longest)
    largest_ = std::max<double>(largest_, r.extent);
  r = {};
}

double Excursions::most() {
  return tuning::kMostExtent.value;
}

double Excursions::needed() const {
  const double seen = std::min(largest_ * tuning::kExcursionMargin.value, most());
  return std::max(1.0, seen);
}

void Excursions::restore(double largest) {
  if (largest >= 0 && largest < tuning::kMaxScore.value)
    largest_ = largest;
}

}  // namespace lento::fleet
