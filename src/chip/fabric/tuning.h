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
// number of candidate classes is added (a Bonferroni correction). The sharp spreads are those of clocks and
// rounding, and no error of the model imitates them in many waits. The broad one is the model's error between
// routes: healthy traces gain up to 17 with it. The traffic of a processor's later waits is less certain than
// that of its first, because a delay of the first moved only its own later issues.
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

// The threshold for a simulated slow server, and its margin over the next candidate. Healthy traces gain up
// to 21, with the next candidate as near as 0.1. Two programs of 16 and 32 cores gain 25 and 38 by factors of
// 1.5 and 1.3, which are errors of the modelled fabric on crowded columns. Below kLeastServed the outcome is
// "cannot judge", unless an earlier run replaces the model.
constexpr double kServedEvidence = 14;
constexpr double kServedMargin = 4;
constexpr double kLeastServed = 1.6;

// Factors with which each server is simulated. For kServedRefined of the best classes, steps from the better
// factor follow, from kServedStep down to 2 %, each the square root of the one before. This distinguishes
// about six factors, and kServedCost is the logarithm of that number.
constexpr double kServedFactors[] = {1.7, 4.5};
constexpr double kServedStep = 1.6;
constexpr size_t kServedRefined = 32;
constexpr double kServedCost = 1.8;

// The model of the fabric is slightly wrong everywhere, and with enough waits this appears significant. With
// this number of waits the evidence is halved (coarsened likelihood, Miller and Dunson 2019). A healthy
// simulation with 20 % noise gains up to 64 in 576 waits.
constexpr double kServedWaits = 200;

// Most packet-server events in all simulations of one judgement, about a minute of computing, and the number
// of classes that are simulated in any case.
constexpr double kServedEvents = 1e9;
constexpr size_t kServedLeast = 16;

// Fewest waits that a sharp hypothesis must explain. Three can agree to 1 % by chance, and do so in the
// healthy trace 1x2_BLOCK_TO_4x4_HEIGHT.
constexpr double kSharpWaits = 4;

// Log-likelihood by which the reported candidate must exceed the next, and the same for a candidate of the
// sharp kind.
constexpr double kMargin = 3;
constexpr double kSharpMargin = 2;

// The same margin for the evidence summed over the parts of the records, which decides between candidates
// that are nearly equal in their best part.
constexpr double kSupportMargin = 6;

// Largest factor that is tried. A wait that needs a larger one is hung rather than slow.
constexpr double kMostFactor = 25;
constexpr double kFactorRange = 3;  // logarithm of the largest factor over the least

// Additional factors for each candidate, at most kSharpFactors: those that most waits agree on within this
// share.
constexpr double kAgree = 0.01;
constexpr size_t kSharpFactors = 6;

// Factors tried in any case. The likelihood varies little between neighbours, so the true class is not
// missed.
constexpr double kFactors[] = {1.3, 1.5, 1.75, 2, 2.5, 3, 4, 5, 7, 10, 20};

// Smallest factor that is reported. Below it the model's own errors between routes are as large.
constexpr double kLeastFactor = 1.3;

// Degrees of freedom of the Student distribution of the residuals, because tails of real waits are heavier
// than normal.
constexpr double kTails = 3;

// Standard deviation of the logarithm of the modelled tail over the recorded one, common to a group of equal
// waits. It is that of the 59 untouched traces that can be judged.
constexpr double kModelError = 0.2;

// Log-likelihood subtracted for one factor common to all waits, about the cost of choosing one of the factors
// above.
constexpr double kCommonCost = 6;

// Least spread of the logarithm of equal tails. Equal waits that agree more closely with the model than
// routes of real chips do are no evidence.
constexpr double kLeastSpread = 0.05;

// Number of waits in a group at which the group's own spread has the same weight as the spread over all
// groups.
constexpr double kCommonSpread = 4;

// Rounds of estimating corrections and spreads from the waits that no slow part delays.
constexpr int kRounds = 2;

// Sum of the weights of a group's waits below which the group gets no correction.
constexpr double kLeastWeight = 0.5;

// Number of best candidates that are tried again after their waits were moved to their healthy ends, of waits
// of each processor that are moved one after the other, and of candidates in the report.
constexpr size_t kRefined = 10;
constexpr uint32_t kPutBack = 8;
constexpr size_t kRanked = 10;

}  // namespace lento::chip
