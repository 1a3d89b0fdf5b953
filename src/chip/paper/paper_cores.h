// Finds slow cores by stage and group (SLOTH, III-D1). Operations of one layer with equal volume on
// different cores are comparable, and their mean performance is the baseline. A core below it gets the
// probability that its distance from the baseline is not noise.
#pragma once

#include <vector>

#include "chip/paper/observations.h"

namespace lento::chip {

// A core that computed slower than its group: in one layer over the whole run (layer >= 0), or in one
// stretch of time over all layers (layer -1).
struct CoreOutlier {
  int core = 0;
  int layer = -1;
  double performance = 1;  // over the group's mean
  double probability = 0;  // erf(z / sqrt 2), where z is the distance to the mean in standard deviations
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Returns all cores below their group's mean. `deviation` is the relative standard deviation of healthy
// cores.
std::vector<CoreOutlier> core_outliers(const Observations& seen, double deviation);

}  // namespace lento::chip
