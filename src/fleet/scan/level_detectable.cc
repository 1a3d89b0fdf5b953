// Finds the smallest change of a machine that a test detects with 95 % probability: the smallest that passes
// every condition of a finding (level.cc), plus the noise that may hide it.
#include <algorithm>
#include <cmath>

#include "fleet/scan/gauss.h"
#include "fleet/scan/level.h"

namespace lento::fleet {
namespace {

constexpr double kMissed = 0.05;      // probability that a change of the detectable size is missed
constexpr double kTwoAtMost = 0.818;  // mean of a Poisson distribution whose 95 % quantile is two
constexpr double kMostChange = 4.6;   // ln 100, the logarithm's range below the typical value (kinds.cc)

}  // namespace

// Returns whether a change of this size reaches the threshold, a score of one. Among more than four machines
// it must also exceed the present scatter of the peers, as a single suspect must (raise.cc).
bool Level::exceeds(size_t m, Statistic statistic, double change, const Thresholds& by) const {
  const Test score = in_thresholds(m, statistic, change, by);
  if (4 >= o_.machines || !o_.against_peers)
    return score.absolute >= 1;
  return statistic == kMean ? std::min(score.relative, score.absolute) >= 1
                            : score.relative * score.relative * score.absolute >= 1;
}

// Returns the smallest change of a machine that one statistic finds with 95 % probability: the smallest
// change that passes each condition of a finding, plus the noise that may hide it.
double Level::needed(size_t m, Statistic statistic, const Thresholds& by, double z, const Dips& dips) const {
  const double missed = normal_upper(kMissed);
  double low = 0, high = kLeastSpread;
  while (!exceeds(m, statistic, high, by) && high < kMostChange)
    high *= 2;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (exceeds(m, statistic, middle, by) ? high : low) = middle;
  }
  double least = high + missed * widened(m, statistic) * absolute_[statistic].spread(m);
  // A change counts only when all but two of the window's cells show half of it (lasts()).
  const double hidden = kTwoAtMost / double(o_.cells);
  least = std::max(least, 2 * normal_upper(hidden) * usual_.cell_spread(m));
  if (statistic != kMean)
    least = std::max(
        least,
        dips.least_change(statistic == kUpper, z, o_.rows_a_quantile) +
            missed * widened(m, statistic) * single_[statistic].spread(absolute_[statistic].expected(m)));
  else if (const double moved = by_chance(m, dips, z); moved > 0)
    least = std::max(least, moved + missed * absolute_[kMean].spread(m));
  return least;
}

double Level::detectable(Statistic statistic, double z, const Dips& dips) const {
  constexpr size_t kLookedAt = 64;  // number of machines that are examined
  const Thresholds by = thresholds(statistic, z);
  std::vector<double> sizes;
  for (size_t m = 0; m < o_.machines; m += 1 + o_.machines / kLookedAt) {
    if (usual_.known(m))
      sizes.push_back(needed(m, statistic, by, z, dips));
  }
  if (sizes.empty())
    return 0;
  std::ranges::sort(sizes);
  return sizes[size_t((1 - kMissed) * double(sizes.size() - 1) + 0.5)];
}

double Level::detectable(const Suspicion& suspicion, double z, const Dips& dips, Slow slow) {
  form_differences(suspicion);
  double worst = 0;
  for (const auto& [quantile, side] : {std::pair{kUpper, Slow::Low}, {kLower, Slow::High}}) {
    if (slow != Slow::Unknown && slow != side)
      continue;
    double least = INFINITY;
    for (const Statistic c : {kMean, quantile}) {
      const double size = may_show(c) ? detectable(c, z, dips) : 0;
      if (size > 0)
        least = std::min(least, size);
    }
    worst = std::max(worst, least);
  }
  return worst < kMostChange ? worst : 0;
}

}  // namespace lento::fleet
