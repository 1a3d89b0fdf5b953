// Two samples compared without a law for their values, and several tests counted as one.
//
// A detector's check without its model: the raw records of an accused part must be slower than those of peers
// that did the same work. Sources: Wilcoxon 1945, Mann and Whitney 1947, Lehmann 1975 (ties), Phipson and
// Smyth 2010 (random permutations), Holm 1979.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/rng.h"

namespace lento::evidence {

struct RankSum {
  double superiority = 0.5;  // chance that a value of the first exceeds one of the second, ties as halves
  double greater = 1;        // chance of such a superiority or more if both follow one law
  double less = 1;           // of such a one or less
  bool exact = true;         // all placements were counted, else normal with tie and continuity correction
};

// Compares by ranks, where ties share their mean rank. The chance is exact up to 40 values together, ties
// included. An empty sample gives the defaults.
RankSum rank_sum(std::span<const double> first, std::span<const double> second);

// Larger means that the first sample stands out more.
using TwoSampleStatistic =
    std::function<double(std::span<const double> first, std::span<const double> second)>;

// Chance of a statistic at least as large when membership is drawn at random: all ways are counted when they
// are at most `draws`, else (1 + hits) / (1 + draws) of random ones, which is never 0 and never too small.
double permutation_chance(
    std::span<const double> first,
    std::span<const double> second,
    const TwoSampleStatistic& statistic,
    uint64_t draws,
    base::Rng& rng);

// Corrects chances so that comparing each with a budget keeps the chance of any false one within the budget,
// whatever their dependence. Same order as the input, never above 1.
std::vector<double> holm(std::span<const double> chances);

}  // namespace lento::evidence
