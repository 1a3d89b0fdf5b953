// The tuned constants of the judgement without a mapping. The tail of a wait is the time from its last issue
// to its end, and a gain is the log-likelihood of the recorded tails under a hypothesis above that on a
// healthy fabric (Hypothesis::evidence). Raw data of all: bench/results/2026-11-24/fabric_plants.csv
// (lento-lab fabric plants).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lento::chip {

// Least number of waits in a group of equal waits (ComparedWait::pattern). Smaller groups are not compared,
// because the correction that the waits of a group share would explain any few tails.
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

// The gain in log-likelihood that a simulated slow server must exceed, and by how much it must exceed that of
// the next candidate. Healthy traces reach a gain of 21, with a difference to the next candidate of 0.1. Two
// programs on 16 and 32 cores reach gains of 25 and 38 with factors of 1.5 and 1.3, which are errors of the
// modelled fabric in columns with much traffic. A factor below kLeastServed is therefore reported as "cannot
// judge", unless an earlier run takes the place of the model.
constexpr double kServedEvidence = 14;
constexpr double kServedMargin = 4;
constexpr double kLeastServed = 1.6;

// Factors with which each server is simulated. For kServedRefined of the best classes the better of them is
// then multiplied and divided by steps from kServedStep down to 1.02, each the square root of the one before.
// The search chooses among about six distinguishable factors, and kServedCost, the logarithm of that number,
// is subtracted from the evidence.
constexpr double kServedFactors[] = {1.7, 4.5};
constexpr double kServedStep = 1.6;
constexpr size_t kServedRefined = 32;
constexpr double kServedCost = 1.8;

// Number of waits at which the evidence for a slow server is halved (coarsened likelihood, Miller and Dunson
// 2019): the model of the fabric is slightly wrong everywhere, and with enough waits this appears
// significant. A healthy simulation with 20 % noise reaches a gain in log-likelihood of 64 in 576 waits.
constexpr double kServedWaits = 200;

// Most packet-server events in the simulations with kServedFactors, about a minute of computing, and the
// number of classes that are simulated in any case. The simulations that refine factors come on top.
constexpr double kServedEvents = 1e9;
constexpr size_t kServedLeast = 16;

// Least number of waits that a hypothesis with one of kSharpSpreads must explain. Three waits can agree on
// one factor to 1 % by chance, and do so in the healthy trace 1x2_BLOCK_TO_4x4_HEIGHT.
constexpr double kSharpWaits = 4;

// Log-likelihood by which the evidence of the reported candidate must exceed that of the next: with
// kBroadSpread, and with one of kSharpSpreads.
constexpr double kMargin = 3;
constexpr double kSharpMargin = 2;

// Log-likelihood by which the evidence of a candidate, summed over the parts of the records (the first wait
// of each processor, the first two, and so on), must exceed that of another one for the sum to decide. It
// decides between candidates whose evidence in their best part is nearly equal.
constexpr double kSupportMargin = 6;

// Largest factor that is tried. A wait that needs a larger one has stopped for another reason than a slow
// component.
constexpr double kMostFactor = 25;
constexpr double kFactorRange = 3;  // natural logarithm of kMostFactor over kLeastFactor, about

// Number of factors that are tried besides kFactors, and the relative difference up to which the factors of
// two waits agree: those factors are tried on which most waits of the candidate agree.
constexpr double kAgree = 0.01;
constexpr size_t kSharpFactors = 6;

// Factors that are tried for every candidate. The likelihood varies so little between neighbouring factors
// that a slow candidate is not missed between two of them.
constexpr double kFactors[] = {1.3, 1.5, 1.75, 2, 2.5, 3, 4, 5, 7, 10, 20};

// Smallest factor that is reported. The errors of the model between routes reach the same size.
constexpr double kLeastFactor = 1.3;

// Degrees of freedom of the Student distribution of the residuals, because tails of real waits are heavier
// than normal.
constexpr double kTails = 3;

// Standard deviation of the logarithm of the modelled tail over the recorded one, common to a group of equal
// waits. It is that of the 59 recorded traces without an added fault that can be judged.
constexpr double kModelError = 0.2;

// Log-likelihood that is subtracted when the corrections of all groups share one factor: about the logarithm
// of the number of factors on a grid.
constexpr double kCommonCost = 6;

// Least standard deviation of the logarithm of the tails of equal waits. Waits that agree more closely with
// each other than routes of real chips do are no better evidence.
constexpr double kLeastSpread = 0.05;

// Number of waits in a group of equal waits at which the standard deviation of the group has the same weight
// as that over all groups.
constexpr double kCommonSpread = 4;

// Rounds in which corrections and standard deviations are estimated from the waits that no slow part delays,
// and these waits from them.
constexpr int kRounds = 2;

// Least sum of the probabilities, over the waits of a group, of not being delayed by the slow part. A group
// with less gets no correction.
constexpr double kLeastWeight = 0.5;

// kRefined is the number of best candidates (more when they are nearly equal) for which the search is
// repeated after the waits that they delayed were moved to their healthy ends (slowed_search.h). kPutBack is
// the largest number of waits of each processor that are moved, one in each round. kRanked is the number of
// candidates in the report.
constexpr size_t kRefined = 10;
constexpr uint32_t kPutBack = 8;
constexpr size_t kRanked = 10;

}  // namespace lento::chip
