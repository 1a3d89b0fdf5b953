// Which components a mapping exercises, and which it cannot tell apart.
#pragma once

#include <string>

#include "finding/finding.h"

namespace lento::jobs {

// An answer. Throws base::Error when the mapping does not fit the chip.
finding::Diagnosis chip_check(const std::string& chip, const std::string& mapping);

}  // namespace lento::jobs
