// Compares two samples without assuming a distribution of their values.
//
// Detectors confirm a finding with it: the raw records of the suspect must be slower than those of peers
// that did the same work. Sources: Wilcoxon 1945, Mann and Whitney 1947, Lehmann 1975 (ties).
#pragma once

#include <span>

namespace lento::evidence {

struct RankSum {
  double superiority = 0.5;  // chance that a value of the first exceeds one of the second, ties as halves
  double greater = 1;        // chance of such a superiority or more if both have one distribution
  double less = 1;           // of such a one or less
  bool exact = true;         // all placements were counted, else normal with tie and continuity correction
};

// Compares by ranks, where ties share their mean rank. The chance is exact up to 40 values together, ties
// included. An empty sample gives the defaults.
RankSum rank_sum(std::span<const double> first, std::span<const double> second);

}  // namespace lento::evidence
