// Healthy runs of a chip to its twin: what differs from the chip file, part by part, and what could not be
// told. `diagnose_chip` takes the file that is written (ChipDiagnosisOptions::fit_file).
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "chip/diagnose.h"
#include "finding/finding.h"

namespace lento::chip {

struct ChipCalibrationOptions {
  std::vector<std::string> records;  // one healthy run each: probe records, or a sketch of them
  std::string chip;
  std::string mapping;  // that ran in all of them
  std::string output;   // the fit is written here; empty: nowhere
  ChipRecorderOptions recorder;
  double tolerance = -1;  // largest share by which healthy parts of a class differ; below 0: estimated
  bool strict = false;
  uint64_t seed = 1;
};

// An answer; cannot judge, and nothing written, when the fitted chip does not explain the runs. Throws
// base::Error when a file is broken or they do not belong together.
finding::Diagnosis calibrate_chip(const ChipCalibrationOptions& options, const base::Progress& progress = {});

}  // namespace lento::chip
