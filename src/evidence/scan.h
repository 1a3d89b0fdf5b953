// The largest score over all parts and all windows, and how large it gets in a healthy run.
//
// Rows are parts, columns are equal steps of time, entries are what is left after expectation and nuisances,
// divided by its deviation. The score of a window is its sum over the root of its length: for independent
// entries each window has variance 1. Real noise is neither independent nor normal, so the law of the maximum
// is drawn: blocks of the run's healthy columns, all parts together, which keeps what neighbouring steps and
// simultaneous parts have in common. Sources: Kulldorff 1997 (scan), Politis, Romano 1992 (circular blocks),
// Politis, White 2004 (block length).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "evidence/matrix.h"

namespace lento::evidence {

struct ScanWindow {
  size_t part = 0;
  size_t begin = 0;
  size_t end = 0;  // begin == end: there was no window
  double score = 0;
};

// Lengths above the number of columns are left out. Of equal scores the first part, then length, then place.
ScanWindow scan_maximum(const Matrix& parts, std::span<const size_t> lengths);

// Lengths 1, 2, 4 ... up to `most`: any window contains one of at least a quarter of its length.
std::vector<size_t> dyadic_lengths(size_t most);

struct ScanNull {
  size_t block = 1;
  size_t draws = 0;
  std::span<const size_t> lengths;
};

// One maximum for each draw, in the order of drawing, from the healthy columns of `parts` less each part's
// mean. `conformal_bound` of them is the threshold for a budget. Valid for windows that hold several blocks:
// sums within one block repeat those that were seen, so a fresh run exceeds the largest about every second
// time.
std::vector<double> null_of_maximum(const Matrix& parts, const ScanNull& how, base::Rng& rng);

// The law of the maximum beyond what was seen, for windows of any length: the healthy run is cut into pieces,
// and the largest score of a piece exceeds the median one by an exponential law (a Gumbel tail). Chances are
// those of one more excess given the seen ones, so few pieces give a high threshold, not a wrong one. Noise
// with a thinner tail (normal) gives fewer alarms than the budget: 3 % of runs where 10 % are allowed.
// Sources: Pickands 1975 (peaks over a threshold), Lawless 1977 (prediction).
struct MaximumTail {
  double level = 0;         // upper median of the largest scores
  double excess = 0;        // sum of what larger ones exceed it by
  double count = 0;         // of larger ones
  double chance_above = 1;  // of one more piece to exceed the level

  // Chance that the largest score of `pieces` healthy pieces reaches `score`, 1 up to the level.
  double chance(double score, double pieces) const;
  // The score whose chance is `budget`, infinite when no piece exceeded the level.
  double threshold(double budget, double pieces) const;
};

// The largest score of each full piece of `length` columns, over all parts and windows inside the piece.
std::vector<double> maxima_of_pieces(const Matrix& parts, size_t length, std::span<const size_t> lengths);
MaximumTail tail_of_maximum(std::span<const double> maxima);

// The block length with the least error of the variance of the mean, 1 for independent values; at most a
// third of the values. The largest over the parts fits all.
size_t block_length(std::span<const double> values);

}  // namespace lento::evidence
