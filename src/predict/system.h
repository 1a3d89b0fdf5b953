// The machine of a question: a shipped data sheet, a file, or a design point (docs/formats/crossflow.md),
// which carries its own workload.
#pragma once

#include <string>

#include "finding/finding.h"
#include "predict/hardware/system.h"

namespace lento::predict {

bool is_design(const std::string& path);

// Throws base::Error: nothing is named, not known, or a budget of a design that leaves a component without
// area or power.
System system_of(const std::string& name_or_path);

// The machine that a design's technology and budgets give, and the iteration of its language model.
finding::Diagnosis explain_design(const std::string& path);

}  // namespace lento::predict
