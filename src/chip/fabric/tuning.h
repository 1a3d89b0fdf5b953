// The tuned constants of the judgement without a mapping. Raw file for all:
// bench/results/2026-11-24/fabric_plants.csv (lento-lab fabric plants).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lento::chip {

// Fewest equal waits that count as evidence about each other. Fewer than four share a correction that fits
// any of them.
constexpr uint32_t kEqualWaits = 4;

// The spreads that are tried for ends that a slow component caused, as standard deviations of the logarithm,
// and the log-likelihood that a hypothesis must gain over a healthy fabric at each. The logarithm of the
// number of candidate classes is added (a Bonferroni correction). The sharp ones are clocks and rounding,
// which no error of the model imitates in many waits. The broad one is the model's error between routes,
// which does: untouched traces gain up to 17 by it. The traffic of a processor's later waits is less certain
// than that of its first, because a delay of the first moved only its own later issues.
struct SlowSpread {
  double first = 0;  // of each processor's first wait
  double later = 0;  // of the others
  double evidence = 0;
};
constexpr SlowSpread kSharpSpreads[] = {
    {0.002, 0.002, 3},
    {0.002, 0.01, 3},
    {0.002, 0.03, 3},
    {0.01, 0.01, 4},
    {0.01, 0.03, 4},
    {0.03, 0.03, 10}};
constexpr SlowSpread kBroadSpread = {0.12, 0.12, 14};

// The same for a server that the fabric plays slowly, and its margin over the next. Untouched traces gain up
// to 21 so, with the next as near as 0.1. Two programs of 16 and 32 cores gain 25 and 38, by factors of 1.5
// and 1.3: the fabric's own error on crowded columns. Below kLeastServed there is no judgement either way,
// unless an earlier run replaces the model.
constexpr double kServedEvidence = 14;
constexpr double kServedMargin = 4;
constexpr double kLeastServed = 1.6;

// Factors that each server is played with. For so many classes that come nearest, steps from the better of
// them follow, each the root of the one before, down to 2 %. About six factors are distinguished so:
// kServedCost is their logarithm.
constexpr double kServedFactors[] = {1.7, 4.5};
constexpr double kServedStep = 1.6;
constexpr size_t kServedRefined = 32;
constexpr double kServedCost = 1.8;

// The model of the fabric is slightly wrong everywhere, and with enough waits this looks significant. With
// this number of waits the evidence is halved (coarsened likelihood, Miller and Dunson 2019). A healthy play
// with 20 % noise gains up to 64 in 576 waits.
constexpr double kServedWaits = 200;

// Servers passed by packets in all plays of one judgement, about a minute, but at least so many classes.
constexpr double kServedEvents = 1e9;
constexpr size_t kServedLeast = 16;

// Waits that a sharp hypothesis must explain. Three agree by chance (1x2_BLOCK_TO_4x4_HEIGHT, untouched, to 1
// %).
constexpr double kSharpWaits = 4;

// Log-likelihood by which the reported candidate must exceed the next, and the same for one that explains
// ends sharply.
constexpr double kMargin = 3;
constexpr double kSharpMargin = 2;

// The same for the sum over parts of the records, where the best part does not decide.
constexpr double kSupportMargin = 6;

// Largest factor that is distinguished from others. Beyond it waits are hung, not slow.
constexpr double kMostFactor = 25;
constexpr double kFactorRange = 3;  // logarithm of the largest over the least

// Additional factors: those that most waits agree on within this share, so many a candidate.
constexpr double kAgree = 0.01;
constexpr size_t kSharpFactors = 6;

// Factors tried in any case. Between them the likelihood is flat enough to keep the class.
constexpr double kFactors[] = {1.3, 1.5, 1.75, 2, 2.5, 3, 4, 5, 7, 10, 20};

// Smallest factor that is reported. Below it the model's own errors between routes are as large.
constexpr double kLeastFactor = 1.3;

// Degrees of freedom of the Student distribution of the residuals, because tails of real waits are heavier
// than normal.
constexpr double kTails = 3;

// Standard deviation of the logarithm by which the fabric misses the tails of one sort of equal waits: that
// of the 59 untouched traces that can be judged.
constexpr double kModelError = 0.2;

// Log-likelihood that one factor common to all waits costs: about that of choosing one of the factors above.
constexpr double kCommonCost = 6;

// Least spread of the logarithm of equal tails. Where equal waits follow the fabric more closely than routes
// of real chips do, that is no evidence.
constexpr double kLeastSpread = 0.05;

// Number of a sort's own waits that has the same weight as the spread over all sorts.
constexpr double kCommonSpread = 4;

// Rounds of estimating corrections and spreads from the waits that no slow part holds up.
constexpr int kRounds = 2;

// Waits of one sort, by weight, below which their correction is left at none.
constexpr double kLeastWeight = 0.5;

// Best candidates that are tried again with their waits moved back, waits of each processor that are moved
// back one after the other, and candidates that are shown.
constexpr size_t kRefined = 10;
constexpr uint32_t kPutBack = 8;
constexpr size_t kRanked = 10;

}  // namespace lento::chip
