// What a verdict rests on, for Diagnosis::inputs.
#pragma once

#include <string>

#include "finding/finding.h"

namespace lento::finding {

// Role, name and digest of a file's bytes; no digest for a pipe, which is gone once read.
finding::Input input_of(const std::string& role, const std::string& path);

}  // namespace lento::finding
