// Compares the promises of the chip's model with its results on draws that no threshold was made from.
//
// False alarms: healthy draws with a suspicious part. Detectable effects: parts planted with the factor that
// should be reported in 95 % of runs. Intervals: planted factors that lie inside their 90 % interval.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "lab/promise/promise.h"

namespace lento::chip {

struct ChipAuditOptions {
  std::string chip;
  std::string mapping;
  uint32_t inferences = 2;
  int healthy = 200;
  int detectable = 100;
  int intervals = 20;
  double false_alarms = 0.005;
  uint64_t seed = 1;
};

// Throws base::Error when chip and mapping are broken.
std::vector<lab::Promise> audit_chip(const ChipAuditOptions& options, const base::Progress& progress = {});

}  // namespace lento::chip
