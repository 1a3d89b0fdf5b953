// Maps the names of amd-smi, which are upper case in its text output, to the fields of gpu_rows.h.
#pragma once

#include <string>
#include <string_view>

#include "desk/nvidia/gpu_rows.h"

namespace lento::desk {

// Adds the field for a name within a section, when there is one.
void add_amd_field(Fields& fields, std::string_view section, std::string_view name, std::string value);

}  // namespace lento::desk
