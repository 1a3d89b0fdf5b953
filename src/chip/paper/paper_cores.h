// Slow cores by stage and group (SLOTH, III-D1): operations of one layer with equal volume on different cores
// are comparable; the group's mean performance is the baseline; a core below it gets the probability that its
// distance is no noise.
#pragma once

#include <vector>

#include "chip/paper/observations.h"

namespace lento::chip {

// A core that computed slower than its group, in one layer over the run (layer >= 0) or, over all layers, in
// one stretch of time (layer -1).
struct CoreOutlier {
  int core = 0;
  int layer = -1;
  double performance = 1;  // against the group's mean
  double probability = 0;  // erf(z / sqrt 2), z the distance to the mean in deviations
  uint64_t begin = 0;
  uint64_t end = 0;
};

// All cores below their group's mean. `deviation`: of the performance of healthy cores, over its mean.
std::vector<CoreOutlier> core_outliers(const Observations& seen, double deviation);

}  // namespace lento::chip
