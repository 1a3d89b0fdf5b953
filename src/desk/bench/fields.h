// Splits lines of tables, and finds columns by their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lento::desk {

inline constexpr size_t kMostFields = 512;

// Fields between commas; quotes around a field are dropped and doubled quotes inside are one.
std::vector<std::string> split_commas(std::string_view line);
// Words between blanks.
std::vector<std::string> split_blanks(std::string_view line);
// Columns that are set apart by two blanks or more.
std::vector<std::string> split_columns(std::string_view line);

// The index of the first field that one of the names begins, -1 without one: "Avg" finds "Avg (ns)".
int find_field(const std::vector<std::string>& fields, const std::vector<std::string_view>& names);

// Seconds in one unit: "ns", "us", "ms", "s" and how profilers write them ("nsecond", "usecond"); 0: unknown.
double seconds_in(std::string_view unit);

// The lines at the beginning of a file, at most `most` of them.
std::vector<std::string_view> first_lines(std::string_view head, size_t most);

}  // namespace lento::desk
