// Fits the chip's model to healthy runs, and reports which classes and parts differ from the chip file. The
// file that is written is a chip file with the fitted numbers.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "chip/diagnose.h"
#include "finding/finding.h"

namespace lento::chip {

struct ChipCalibrationOptions {
  std::vector<std::string> records;  // probe records of one healthy run each
  std::string chip;
  std::string mapping;  // the mapping of all runs
  std::string output;   // file for the corrected chip; empty: not written
  std::string models;   // folder that keeps learnt models between calls; empty: none are kept
  bool strict = false;
  uint64_t seed = 1;
};

// Returns the fit as an answer. When the records cannot be fitted the outcome is "cannot judge" and no file
// is written. Throws base::Error when a file is broken or when the files do not belong together.
finding::Diagnosis calibrate_chip(const ChipCalibrationOptions& options, const base::Progress& progress = {});

}  // namespace lento::chip
