// Reports which components a mapping uses, and which of them no record can distinguish.
#pragma once

#include <cstdint>
#include <string>

#include "finding/finding.h"

namespace lento::chip {

struct ChipCheckOptions {
  std::string chip;
  std::string mapping;
  // Whether to add a table of classes: components that the same transfers of an inference pass. Without
  // effect when `faults` names a file of faults. A run with all those faults is then simulated, and each
  // fault lists the components that the same transfers pass during that fault.
  bool classes = false;
  std::string faults;
  uint32_t inferences = 16;  // inferences of the simulated run
  uint64_t seed = 1;
};

// Returns the used and unused components and the indistinguishable ones as an answer. Throws base::Error when
// the mapping or a fault does not fit the chip.
finding::Diagnosis chip_check(const ChipCheckOptions& options);

}  // namespace lento::chip
