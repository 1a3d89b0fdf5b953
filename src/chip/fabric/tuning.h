// Tuned numbers of the judgement without a mapping. Raw file for all:
// bench/results/2026-11-22/fabric_plants.csv (lento-lab fabric plants).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lento::chip {

// Waits that must be equal before they say anything about one another. Fewer than four share a correction
// that fits them whatever they are.
constexpr uint32_t kEqualWaits = 4;

// How closely ends that a slow component caused follow the fabric, as standard deviations of the logarithm
// that are tried, and the log-likelihood that a hypothesis must gain over a healthy fabric at each; the
// logarithm of the number of candidate classes comes on top (a Bonferroni correction). The sharp ones are
// clocks and rounding, which no error of the model imitates in many waits; the broad one is the model's error
// between routes, which does: untouched traces gain up to 17 by it.
struct SlowSpread {
  double spread = 0;
  double evidence = 0;
};
constexpr SlowSpread kSharpSpreads[] = {{0.002, 3}, {0.01, 4}, {0.03, 10}};
constexpr SlowSpread kBroadSpread = {0.12, 14};

// Waits that a sharp hypothesis must explain: three agree by chance (1x2_BLOCK_TO_4x4_HEIGHT, untouched, to 1
// %).
constexpr double kSharpWaits = 4;

// Log-likelihood that the blamed candidate must be ahead of the next; of one that explains ends sharply.
constexpr double kMargin = 3;
constexpr double kSharpMargin = 2;

// The same of the sum over parts of the records, where the best part does not decide: waits are put back only
// nearly to where they were, and a neighbour of the slow component was ahead by 12 to 60
// (DRAM_TO_4x2_HEIGHT).
constexpr double kSupportMargin = 60;

// Largest factor that is told from others: beyond it waits are hung, not slow.
constexpr double kMostFactor = 25;
constexpr double kFactorRange = 3;  // logarithm of the largest over the least

// Beside the factors below, those that most waits agree on within this share, so many a candidate.
constexpr double kAgree = 0.01;
constexpr size_t kSharpFactors = 6;

// Factors tried in any case; between them the likelihood is flat enough to keep the class.
constexpr double kFactors[] = {1.3, 1.5, 1.75, 2, 2.5, 3, 4, 5, 7, 10, 20};

// Smallest factor that is blamed: below it the model's own errors between routes are as large.
constexpr double kLeastFactor = 1.3;

// Degrees of freedom of the Student distribution of the residuals: tails of real waits are heavier than
// normal.
constexpr double kTails = 3;

// Standard deviation of the logarithm by which the fabric misses the tails of one sort of equal waits: that
// of the 59 untouched traces that can be judged.
constexpr double kModelError = 0.2;

// Log-likelihood that one factor common to all waits costs: about that of choosing one of the factors above.
constexpr double kCommonCost = 6;

// Least spread of the logarithm of equal tails: where equal waits follow the fabric more closely than routes
// of real chips do, nothing is concluded from that.
constexpr double kLeastSpread = 0.05;

// The spread of all counts as much as so many waits of a sort's own.
constexpr double kCommonSpread = 4;

// Rounds of estimating corrections and spreads from the waits that nothing slow holds up.
constexpr int kRounds = 2;

// Waits of one sort, by weight, below which their correction is left at none.
constexpr double kLeastWeight = 0.5;

// Best candidates that are tried again with their waits put back; how many waits of a processor, one after
// the other; how many candidates are shown.
constexpr size_t kRefined = 10;
constexpr uint32_t kPutBack = 8;
constexpr size_t kRanked = 10;

}  // namespace lento::chip
