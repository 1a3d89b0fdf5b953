// What a fault must show to be named.
#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "evidence/sample.h"
#include "fleet/detect/detector_impl.h"

namespace lento::fleet {
namespace {

constexpr size_t kMostLooks =
    256;  // of a track that are remembered; of a longer run every second, fourth, ...

void keep_every_other(std::vector<double>& values) {
  for (size_t i = 0; 2 * i < values.size(); ++i)
    values[i] = values[2 * i];
  values.resize((values.size() + 1) / 2);
}

}  // namespace

void Detector::Impl::measure_reach(Track& track, const std::vector<Judged>& judged, const PeerBand& band) {
  if (track.looks++ % track.looks_apart != 0)
    return;
  std::vector<float> thresholds;
  for (const Judged& j : judged) {
    if (j.judged)
      thresholds.push_back(j.threshold);
  }
  if (thresholds.empty())
    return;
  const float middle = evidence::upper_median_reordering(std::span(thresholds));
  // What is measured of a deviation scatters by itself: two standard deviations of it are surely seen.
  const double surely = 1 + 2 / track.level.options().z_level;
  track.named_from.push_back(middle * surely * std::max(1.0, track.excursions.needed()));
  track.levels.push_back(std::abs(band.median));
  if (track.levels.size() < kMostLooks)
    return;
  keep_every_other(track.named_from);
  keep_every_other(track.levels);
  track.looks_apart *= 2;
}

std::vector<Reach> Detector::reach() const {
  std::vector<Reach> out;
  for (const size_t metric : impl_->judged_metrics) {
    std::vector<Reach> windows(impl_->horizon_samples.size());  // the worst group of each
    for (const Impl::Track& t : impl_->tracks) {
      if (t.metric != metric || t.levels.empty())
        continue;
      const Reach here{
          metric,
          impl_->seconds(t.horizon),
          evidence::median(t.named_from),
          evidence::median(t.levels)};
      Reach& worst = windows[t.horizon];
      if (worst.window_s == 0 || here.share() > worst.share())
        worst = here;
    }
    std::erase_if(windows, [](const Reach& r) {
      return r.window_s == 0;
    });
    if (!windows.empty())
      out.push_back(*std::ranges::min_element(windows, {}, &Reach::share));
  }
  std::ranges::stable_sort(out, {}, &Reach::share);
  return out;
}

std::string reach_text(const Detector& detector) {
  constexpr size_t kNamed = 3;
  const std::vector<Reach> reach = detector.reach();
  std::string text;
  for (size_t i = 0; i < std::min(reach.size(), kNamed); ++i) {
    const Reach& r = reach[i];
    const std::string size = std::isfinite(r.share()) ? base::format_number(100 * r.share(), 2) + " %"
                                                      : base::format_number(r.deviation, 2);
    text += (i ? ", " : "") + detector.fleet().metrics[r.metric] + " " + size + " for " +
            base::format_quantity(r.window_s, base::Dimension::Time);
  }
  return text + (reach.size() > kNamed ? ", ..." : "");
}

}  // namespace lento::fleet
