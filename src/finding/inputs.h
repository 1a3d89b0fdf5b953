// Describes the input files of a verdict, for Diagnosis::inputs.
#pragma once

#include <string>

#include "finding/finding.h"

namespace lento::finding {

// Returns role, name and digest of a file. A pipe has no digest, because it cannot be read twice.
finding::Input input_of(const std::string& role, const std::string& path);

}  // namespace lento::finding
