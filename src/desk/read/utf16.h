// Converts text in UTF-16 with a byte order mark, as programs on Windows save it, to UTF-8 during reading.
#pragma once

#include <string>
#include <string_view>

#include "desk/read/line_source.h"

namespace lento::desk {

// Returns a source of the same bytes, or of their UTF-8 form when they begin with a byte order mark of
// UTF-16. An unpaired surrogate becomes U+FFFD.
LineSource::Read as_utf8(LineSource::Read read);

// Converts the beginning of a file as as_utf8() converts the whole.
std::string head_as_utf8(std::string_view head);

}  // namespace lento::desk
