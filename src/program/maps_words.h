// Words and numbers of maps files (program/address_space.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lento::program {

// Parses a hexadecimal number with or without 0x.
std::optional<uint64_t> hex_of(std::string_view text);

// Replaces tabs and line ends, which separate fields, by blanks.
std::string plain_field(std::string text);

}  // namespace lento::program
