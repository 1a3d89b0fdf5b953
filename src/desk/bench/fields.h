// Splits lines of tables, and finds columns by their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lento::desk {

inline constexpr size_t kMostFields = 512;

// Splits at commas. Quotes around a field are removed, and a doubled quote inside is one quote.
std::vector<std::string> split_commas(std::string_view line);
// Splits at blanks.
std::vector<std::string> split_blanks(std::string_view line);
// Splits at two or more blanks, so that column names may hold single blanks.
std::vector<std::string> split_columns(std::string_view line);

// Returns the index of the first field that begins with one of the names ("Avg" finds "Avg (ns)"), or -1.
int find_field(const std::vector<std::string>& fields, const std::vector<std::string_view>& names);

// Returns the seconds in a unit: "ns", "us", "ms", "s", or as profilers write them ("nsecond", "usecond").
// 0: unknown.
double seconds_in(std::string_view unit);

// Returns at most `most` lines from the beginning of a file.
std::vector<std::string_view> first_lines(std::string_view head, size_t most);

}  // namespace lento::desk
