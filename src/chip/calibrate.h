// Fits a twin (a model of the chip as it really is) to healthy runs, and reports which parts differ from the
// chip file and which could not be determined. `diagnose_chip` reads the file that is written
// (ChipDiagnosisOptions::fit_file).
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "chip/diagnose.h"
#include "finding/finding.h"

namespace lento::chip {

struct ChipCalibrationOptions {
  std::vector<std::string> records;  // one healthy run each: probe records or a sketch
  std::string chip;
  std::string mapping;  // the mapping of all runs
  std::string output;   // file for the fit; empty: not written
  ChipRecorderOptions recorder;
  double tolerance = -1;  // largest share by which healthy parts of a class differ; below 0: estimated
  bool strict = false;
  uint64_t seed = 1;
};

// Returns the fit as an answer. When the fitted chip does not explain the runs the outcome is "cannot judge"
// and no file is written. Throws base::Error when a file is broken or when the files do not belong together.
finding::Diagnosis calibrate_chip(const ChipCalibrationOptions& options, const base::Progress& progress = {});

}  // namespace lento::chip
