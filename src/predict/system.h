// Reads the system of a question: a shipped data sheet, a file, or a design point
// (docs/formats/crossflow.md), which includes a workload.
#pragma once

#include <string>

#include "finding/finding.h"
#include "predict/hardware/system.h"

namespace lento::predict {

bool is_design(const std::string& path);

// Throws base::Error when the name is empty or unknown, or when the budgets of a design leave a component
// without area or power.
System system_of(const std::string& name_or_path);

// Describes the machine that follows from a design's technology and budgets, and the time of one iteration of
// its language model on it.
finding::Diagnosis explain_design(const std::string& path);

}  // namespace lento::predict
