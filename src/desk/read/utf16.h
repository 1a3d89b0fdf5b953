// Text in UTF-16 with a byte order mark, as editors and shells of Windows save it, becomes UTF-8 while it is
// read.
#pragma once

#include <string>
#include <string_view>

#include "desk/read/line_source.h"

namespace lento::desk {

// The same bytes, or their UTF-8 when they begin with a byte order mark of UTF-16. A half of a pair becomes
// U+FFFD.
LineSource::Read as_utf8(LineSource::Read read);

// The beginning of a file in the same way.
std::string head_as_utf8(std::string_view head);

}  // namespace lento::desk
