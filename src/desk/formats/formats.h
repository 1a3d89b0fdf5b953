// The one list of the formats that the desk reads. A new family adds its line in formats.cc.
#pragma once

#include "desk/read/format.h"

namespace lento::desk {

Formats all_formats();

}  // namespace lento::desk
