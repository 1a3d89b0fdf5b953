// Suggests the nearest valid number when a degree of parallelism does not divide a size, so that the user
// can correct the question at once. Divisors come in pairs d and n/d, so only those up to the root are
// tried.
#pragma once

#include <cstdint>
#include <string>

namespace lento::predict {

// Returns "the nearest that divides: 2 or 4": the divisors of `whole` (at least 1) next below and above
// `wanted`.
std::string nearest_divisors(int64_t whole, int64_t wanted);
// Returns "the nearest: 56 or 64": the multiples of `unit` (at least 1) next below and above `wanted`.
std::string nearest_multiples(int64_t unit, int64_t wanted);

}  // namespace lento::predict
