// Words and numbers of maps files (trace/address_space.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lento::program {

// With or without 0x before it.
std::optional<uint64_t> hex_of(std::string_view text);

// Tabs and line ends part the fields: blanks in their place.
std::string plain_field(std::string text);

}  // namespace lento::program
