// Splits a series into pieces of steady level, and finds where it became worse.
#pragma once

#include <span>
#include <vector>

#include "desk/incident/series.h"

namespace lento::desk {

// With fewer samples even the largest change has a probability above 1/1000 in the rank test.
inline constexpr size_t kFewestSamples = 12;

struct Piece {
  size_t begin = 0;
  size_t end = 0;
  double chance = 0;  // probability of the change before it, without a real change
  double median = 0;
};

// Splits a series as long as a split has a probability below `budget` in a series without change. Returns at
// most 16 pieces.
std::vector<Piece> pieces_of(const Track& track, double budget);

// The largest worsening from a piece to a later one. The earlier level is the best so far, so that a slow
// beginning (compilation, warm-up) is no fault. `from` is null when nothing became worse. Pointers refer to
// `pieces`.
struct Onset {
  const Piece* before = nullptr;
  const Piece* from = nullptr;
  double times = 1;
};
Onset onset_of(const Quantity& quantity, std::span<const Piece> pieces);

}  // namespace lento::desk
