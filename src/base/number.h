// Strict number parsing: the whole text must be one number in range. `where` is blamed otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace lento::base {

std::optional<int64_t> try_int(std::string_view text);
std::optional<uint64_t> try_uint(std::string_view text, int radix = 10);
std::optional<double> try_double(std::string_view text);  // finite values only

// Throw Error at `where` naming what was found and what was needed.
int64_t
parse_int(std::string_view text, const Location& where, int64_t min = INT64_MIN, int64_t max = INT64_MAX);
double parse_double(std::string_view text, const Location& where);

}  // namespace lento::base
