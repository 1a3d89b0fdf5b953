// The names of amd-smi, in capitals as its text has them, become the fields of gpu_rows.h.
#pragma once

#include <string>
#include <string_view>

#include "desk/nvidia/gpu_rows.h"

namespace lento::desk {

// Adds the field that a name within a section stands for, if it is one.
void add_amd_field(Fields& fields, std::string_view section, std::string_view name, std::string value);

}  // namespace lento::desk
