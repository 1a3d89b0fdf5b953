// Cuts lines of tables into words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lento::desk {

inline constexpr size_t kMostColumns = 1024;

// Without blanks, tabs and a carriage return at both ends.
std::string_view trimmed(std::string_view text);

// The parts between blanks, at most kMostColumns of them.
std::vector<std::string> words_of(std::string_view line);

}  // namespace lento::desk
