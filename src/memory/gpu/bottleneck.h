// Bounds how much faster a kernel gets when some of its units have less work. Each unit is busy in a share of
// the running time. The kernel takes at least the largest busy share that remains after the fix, which is the
// upper bound of its speed-up. The lower bound assumes that the busiest unit's work is spread evenly over its
// busy time together with the work of the others: what its excess hid of the next busiest then takes time of
// its own. Where another unit is as busy as the one that is relieved, nothing is certain to be gained.
//
// Source: bottleneck bounds of operational analysis (Denning and Buzen, ACM Computing Surveys 10, 1978).
#pragma once

#include <cmath>
#include <span>

namespace lento::memory {

struct BusyUnit {
  const char* name;
  double busy;    // share of the running time now
  double fewest;  // share of the same time when the excess is gone, at best
  double most;    // that share at worst
};

struct SpeedUp {
  double low = 1;
  double high = 1;
  double middle() const {
    return std::sqrt(low * high);
  }
};

// `waiting` is the share of the time in which no unit works, before and after the fix. `all_measured` is
// false when a unit that may bound the kernel has no counter in the profile. Its share may be anything up to
// the busiest unit's, and the lower bound then holds with a probability of 95 %.
SpeedUp speed_up(std::span<const BusyUnit> units, double waiting, bool all_measured);

// Returns the busy time that the fix saves at best, summed over the units, as a share of the running time.
double relief(std::span<const BusyUnit> units);

}  // namespace lento::memory
