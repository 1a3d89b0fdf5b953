// What each component of a chip would cost if it were slow.
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
  double factor = 10;  // times slower
  uint32_t inferences = 1;
  uint64_t seed = 1;
  unsigned threads = 0;  // 0: all cores
};

// One simulated run a component. Nothing when it was stopped before the first had ended; an answer with a
// note when it was stopped later.
std::optional<finding::Diagnosis> chip_sweep(const ChipSweepOptions& options, const base::Progress& progress);

}  // namespace lento::chip
