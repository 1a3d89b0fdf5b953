// Which component of a real chip is slow, from its records alone: no mapping, no healthy run.
#pragma once

#include <string>

#include "chip/records.h"
#include "finding/finding.h"

namespace lento::chip {

struct ChipExamineOptions {
  RecordSources sources;
  std::string chip = "wormhole";  // a sheet's path or name
};

// Findings, healthy, or cannot judge: when nothing in the records repeats.
finding::Diagnosis chip_examine(const ChipExamineOptions& options);

struct ChipCompareOptions {
  // two runs of one program
  RecordSources before;
  RecordSources after;
  std::string chip = "wormhole";
};

// What became slower from one run to the other and which component explains it; cannot judge when the two
// are not runs of one program.
finding::Diagnosis chip_compare(const ChipCompareOptions& options);

}  // namespace lento::chip
