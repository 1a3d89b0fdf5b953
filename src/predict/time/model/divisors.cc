// Finds the divisors (or multiples) next below and next above a number. The text leaves out a side without
// such a number.
#include "predict/time/model/divisors.h"

#include <algorithm>

namespace lento::predict {
namespace {

std::string either(int64_t below, int64_t above) {
  if (below < 1)
    return std::to_string(above);
  if (above < 1 || above == below)
    return std::to_string(below);
  return std::to_string(below) + " or " + std::to_string(above);
}

}  // namespace

std::string nearest_divisors(int64_t whole, int64_t wanted) {
  int64_t below = 0;
  int64_t above = 0;
  const auto take = [&](int64_t d) {
    if (d <= wanted)
      below = std::max(below, d);
    if (d >= wanted && (above == 0 || d < above))
      above = d;
  };
  for (int64_t d = 1; d <= whole / d; ++d) {
    if (whole % d != 0)
      continue;
    take(d);
    take(whole / d);
  }
  return "the nearest that divides: " + either(below, above);
}

std::string nearest_multiples(int64_t unit, int64_t wanted) {
  const int64_t below = wanted / unit * unit;
  return "the nearest: " + either(below, below + unit);
}

}  // namespace lento::predict
