// Reads the dump of a just-in-time compiler for `perf inject --jit` (docs/formats/foreign-traces.md): names,
// places and source lines of code that no file on disk holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "program/address_space.h"

namespace lento::program {

bool is_jitdump(std::string_view bytes);

// Adds the contents of the dump to the names of `process`. A dump that is cut off gives its complete records.
// Throws base::Error that names `path` when it is no dump, or one of the other byte order.
void read_jitdump(std::string_view bytes, uint16_t process, const std::string& path, AddressSpace& names);

}  // namespace lento::program
