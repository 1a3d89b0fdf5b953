// A series as pieces of steady level, and the place where it became worse.
#pragma once

#include <vector>

#include "desk/incident/series.h"

namespace lento::desk {

inline constexpr size_t kFewestSamples = 12;  // of which the rank test can reach one in a thousand

struct Piece {
  size_t begin = 0;
  size_t end = 0;
  double chance = 0;  // of the change before it
  double median = 0;
};

// Splits a series while a split is unlikelier than `budget` without a change. At most 16 pieces.
std::vector<Piece> pieces_of(const Track& track, double budget);

// The largest worsening from a piece to a later one. The level before is the best one so far, so that a slow
// beginning (compilation, warm-up) is no fault. `from` is null when nothing became worse. The pointers are
// into `pieces`.
struct Onset {
  const Piece* before = nullptr;
  const Piece* from = nullptr;
  double times = 1;
};
Onset onset_of(const Quantity& quantity, const std::vector<Piece>& pieces);

}  // namespace lento::desk
