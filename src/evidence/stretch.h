// The stretch of successive values with the largest sum, in one pass (Bentley, Programming pearls,
// Communications of the ACM 27, 1984). Detectors find with it the records in which a part was slow.
#pragma once

#include <cstddef>
#include <span>

namespace lento::evidence {

struct Stretch {
  size_t first = 0;
  size_t last = 0;  // the value after the stretch
  double sum = 0;
};

// Returns the first of the stretches with the largest sum. Empty when no value is positive.
Stretch largest_stretch(std::span<const double> values);

}  // namespace lento::evidence
