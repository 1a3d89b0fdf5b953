// Splits lines of tables into words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lento::desk {

inline constexpr size_t kMostColumns = 1024;

// Returns the text without blanks, tabs and carriage returns at both ends.
std::string_view trimmed(std::string_view text);

// Returns the words of a line, at most kMostColumns of them.
std::vector<std::string> words_of(std::string_view line);

}  // namespace lento::desk
