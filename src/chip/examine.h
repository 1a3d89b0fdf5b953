// Finds the slow component of a real chip from its records alone, without a mapping and without a healthy
// run.
#pragma once

#include <string>

#include "chip/records.h"
#include "finding/finding.h"

namespace lento::chip {

struct ChipExamineOptions {
  RecordSources sources;
  std::string chip;  // name of a shipped sheet, or a path; empty: wormhole is assumed
};

// Returns findings or healthy, or "cannot judge" when no work in the records repeats.
finding::Diagnosis chip_examine(const ChipExamineOptions& options);

struct ChipCompareOptions {
  // Two runs of the same program.
  RecordSources before;
  RecordSources after;
  std::string chip;  // as above
};

// Reports what became slower between two runs and the component that explains it. "Cannot judge" when the
// runs are not of the same program.
finding::Diagnosis chip_compare(const ChipCompareOptions& options);

}  // namespace lento::chip
