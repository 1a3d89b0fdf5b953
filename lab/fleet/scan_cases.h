// Ordinary healthy fleets and planted faults, drawn by seed: what the detectors of the fleet are counted on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/read/metric_series.h"

namespace lento::fleet {

struct ScanCase {
  std::string kind;
  fleet::MetricSeries series;
  std::vector<size_t> slow;  // planted, sorted; empty: healthy, or the whole job
  bool whole_job = false;
  int64_t onset_ms = 0;
};

// The kinds of draw_case(): healthy ones, then planted ones.
const std::vector<std::string>& healthy_kinds();
const std::vector<std::string>& planted_kinds();

ScanCase draw_case(const std::string& kind, uint64_t seed);

}  // namespace lento::fleet
