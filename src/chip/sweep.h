// Measures the cost of each slow component of a chip by simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/progress.h"
#include "finding/finding.h"

namespace lento::chip {

struct ChipSweepOptions {
  std::string chip;
  std::string mapping;
  double factor = 10;  // how many times slower each component is made
  uint32_t inferences = 1;
  uint64_t seed = 1;
  unsigned threads = 0;  // 0: all cores of this machine
};

// Simulates one run for each component. Returns nothing when it was stopped before the first run ended, and
// an answer with a note when it was stopped later.
std::optional<finding::Diagnosis> chip_sweep(const ChipSweepOptions& options, const base::Progress& progress);

}  // namespace lento::chip
