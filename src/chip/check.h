// Which components a mapping exercises, and which it cannot tell apart.
#pragma once

#include <cstdint>
#include <string>

#include "finding/finding.h"

namespace lento::chip {

struct ChipCheckOptions {
  std::string chip;
  std::string mapping;
  // A table of the classes of components that the same transfers pass: over a whole inference; or, when there
  // is a file of faults, of each fault the components that the same transfers pass in its time, in a run that
  // is simulated with all of them.
  bool classes = false;
  std::string faults;
  uint32_t inferences = 16;  // of that run
  uint64_t seed = 1;
};

// An answer. Throws base::Error when the mapping does not fit the chip, or the faults do not.
finding::Diagnosis chip_check(const ChipCheckOptions& options);

}  // namespace lento::chip
