// Days of healthy telemetry made of the blocks of a recorded hour, to count how often the scan names anybody.
#pragma once

#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "fleet/read/metric_series.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {

enum class Resampling {
  Together,  // blocks of all machines at once: what machines share stays as it was
  Apart,     // each machine's distance from the fleet's median by blocks of its own: bursts meet anew
};

struct FalseAlarms {
  double days = 0;
  size_t alarms = 0;
  std::vector<double> scores;  // of the alarms
};

// Blocks of `block_s` seconds drawn with replacement, of the first metric alone.
FalseAlarms false_alarms(
    const MetricSeries& series,
    Resampling how,
    double days,
    double block_s,
    uint64_t seed,
    const ScanOptions& options,
    const base::Progress& progress);

}  // namespace lento::fleet
