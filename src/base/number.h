// Parses numbers strictly: the whole text must be one number in range.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace lento::base {

std::optional<int64_t> try_int(std::string_view text);
std::optional<uint64_t> try_uint(std::string_view text, int radix = 10);
std::optional<double> try_double(std::string_view text);  // finite values only

// Throw Error at `where` that names the text found and the range needed.
int64_t
parse_int(std::string_view text, const Location& where, int64_t min = INT64_MIN, int64_t max = INT64_MAX);
double parse_double(std::string_view text, const Location& where);

}  // namespace lento::base
