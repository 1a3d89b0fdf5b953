// Diagnoses a slow or hanging job from files that record its collectives.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/finding.h"

namespace lento::fleet {

struct FleetRanksOptions {
  std::vector<std::string> paths;  // files and folders
  bool hang = false;               // judge dumps of a job that hangs even when there are traces too
  std::string switches;            // CSV file: host,switch; empty: none
  int lane_steps = 2;
  bool strict = false;
};

// Finds slowness in traces and logs, and hangs in flight-recorder dumps and RAS answers. Throws base::Error
// when nothing can be read.
finding::Diagnosis fleet_ranks(const FleetRanksOptions& options, const base::Progress& progress = {});

}  // namespace lento::fleet
