// Measures the machine that this process runs on, as a platform for the replay of recordings.
#pragma once

#include "base/progress.h"
#include "finding/finding.h"
#include "memory/core_platform.h"

namespace lento::memory {

struct CalibrationOptions {
  std::string output;  // the platform's file
  base::Progress progress;
};

struct Calibration {
  CorePlatform platform;
  std::vector<std::string> notes;  // what could not be measured here, and keeps its usual figure
};

// Takes under a minute. Other work on the machine lengthens times, so each figure is the minimum of many
// short runs.
Calibration calibrate_host(const base::Progress& progress);

// Calibrates, writes the file, and lists what was measured.
finding::Diagnosis calibrate_memory(const CalibrationOptions& options);

}  // namespace lento::memory
