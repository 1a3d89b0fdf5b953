// Parts of `lento predict`: design points in place of data sheets, measured step times.
#pragma once

#include <string>

#include "cli/context.h"
#include "finding/finding.h"
#include "predict/hardware/system.h"

namespace lento::cli {

// Whether the file is a design point rather than a data sheet. False for a shipped name.
bool is_design(const std::string& path);

// A shipped system, a data sheet file, or the machine of a design point.
predict::System system_of(const std::string& name_or_path);

finding::Diagnosis explain_design(const std::string& path);

void add_predict_steps(Command& predict, Context& context);

}  // namespace lento::cli
