// Every tuned number of the fleet's detector: value, unit, reason and the raw file or derivation behind it.
// What follows from the input (noise, spread, step, rates of bursts) is estimated, and not here.
#pragma once

#include <array>
#include <cstddef>

namespace lento::fleet::tuning {

// One number with what it is measured in.
struct Number {
  double value;
  const char* unit;
  const char* why;
};

// A deviation under this share of the threshold is at rest: it ends bursts and verdicts, it may teach what is
// normal. Under 1, so that noise about the threshold does not flicker.
inline constexpr Number kAtRest{
    0.7,
    "of the threshold",
    "hysteresis; 0.6 to 0.8 give the same verdicts on mlperf64 "
    "(bench/results/2026-11-21/fleet_mlperf64.txt)"};

// level_track
inline constexpr Number kWorthALook{
    0.3,
    "of the threshold",
    "below it nobody asks whether a deviation lasts"};
inline constexpr Number kMemory{2000, "evaluations", "running means forget a phase of the job within hours"};
inline constexpr Number kBaselineMemory{
    1000,
    "entries",
    "what is normal for one machine may drift over a day"};
inline constexpr Number kOwnMemory{500, "evaluations", "as above, for one machine's spread"};
inline constexpr Number kBlockShare{
    0.3,
    "of the whole deviation",
    "a block of an even deviation of 1 sees 1 with a noise of up to a third"};
inline constexpr Number kSteadyBlocks{
    6,
    "of 8 blocks",
    "k of n: a quarter of the windows of a 30 % loss name somebody else"};
inline constexpr Number kKnown{30, "entries", "the level test retires: 7 horizons of an accepted offset"};
inline constexpr Number kMinBaselines{5, "entries", "the change test speaks: as many as wait in the queue"};
inline constexpr Number kMaxScore{100, "thresholds", "scores stay finite where the noise is zero"};
inline constexpr Number kRest{0.3, "of the deviation", "must remain without the three strongest of 8 blocks"};
inline constexpr Number kRestWhenWeak{0.4, "of the deviation", "the same, near the threshold"};
inline constexpr Number kWeak{1.5, "of the threshold", "what counts as near it"};
inline constexpr Number kBurst{
    2.5,
    "standard deviations",
    "between the median and any other feature of a window that holds a burst"};
inline constexpr Number kClear{4, "standard deviations of a block", "what deviates so much has no breaks"};
inline constexpr Number kOutlier{4, "robust standard deviations", "values beyond say nothing about noise"};
inline constexpr Number kRidge{
    0.05,
    "of the own variance",
    "keeps the weights of nearly equal features apart"};
inline constexpr Number kSharedRidge{
    0.02,
    "of the mean's variance",
    "the same for features without variance"};
inline constexpr Number kFewPeers{6, "/(M - 1)", "Student's tail at 6.5 standard deviations for M machines"};
inline constexpr Number kFewPeersFloor{
    0.4,
    "/M^2 of the level",
    "four machines agree by chance within 2.5 %"};
inline constexpr Number kSpreadError{
    1.2,
    "/sqrt(M) of a spread",
    "standard error of a spread by the MAD of M machines (1.17); 13 machines at 60 s scrapes: a loss of 15 % "
    "named after 532 s instead of 592 (bench/results/2026-11-23/fleet_source_faults.txt)"};
inline constexpr Number kFloorOfLargest{0.1, "of the floor", "a level near zero has a floor too"};
inline constexpr Number kJobWide{4, "th part of a group", "deviating at once: it is the job that changed"};
inline constexpr Number kOfOneSize{
    0.2,
    "of the strongest deviation",
    "what a change of the job is at least on a machine that takes part in it; neighbours of a storm of pause "
    "frames show 0.01 to 0.06 (bench/results/2026-11-22/fleet_storms.txt)"};

inline constexpr Number kFirstWeights{
    24,
    "machine evaluations",
    "fewer say nothing of six variances: the mean alone"};
inline constexpr Number kFirstPast{4, "evaluations", "of known changes before the change test may speak"};
inline constexpr Number kFirstEchoes{200, "machine evaluations", "a slope of fewer has an error over 0.07"};
inline constexpr Number kEcho{
    2.5,
    "standard deviations",
    "of the window before count: what a burst or fault in it leaves behind stays under kAtRest"};
inline constexpr Number kFirstLooks{
    8,
    "evaluations",
    "teach the spread even when many deviate: nothing else is known"};

// detector
inline constexpr Number kLooksAWindow{
    16,
    "evaluations",
    "a fault shows within a sixteenth of a window of its time"};
inline constexpr Number kLeadingBlocks{4, "of 8 blocks", "half a window: a stronger deviation is under way"};
inline constexpr Number kPatient{
    240,
    "s",
    "windows trusted while bursts are frequent: the paper's continuity"};
inline constexpr Number kAnyAnswer{0.25, "of the members", "report, or the row is not kept"};
inline constexpr Number kSilentSteps{4, "steps", "of silence at the least: three lost scrapes are no fault"};
inline constexpr Number kGone{86400, "s of answers", "without a sample: the machine has left the job"};

// bursts
inline constexpr Number kChained{0.2, "of burst pairs", "fill a window so that they look like one deviation"};
inline constexpr Number kAssumedBursts{0.5, "bursts", "before any was seen"};
inline constexpr Number kBurstOfAMinute{
    60,
    "s",
    "a burst may last so long even if none did yet: continuity is built for it (level_track.h)"};
inline constexpr Number kOutlast{
    1.5,
    "times the longest burst",
    "the next one may be longer; of a minute it is 90 s, under the 105 s that continuity asks for anyway"};
inline constexpr Number kBridgedRows{2, "rows", "without a sample are no end of a burst: lost scrapes"};
inline constexpr Number kPeersOfARow{65, "machines", "tell a row's median well enough, and are soon sorted"};
inline constexpr Number kFaultsUnderWay{2, "deviations", "under way may be real"};

// excursions: the extents asked for are those at which three recorded runs of a healthy GPT-3 job, and days
// of noise made of their blocks, accuse nobody (bench/results/2026-11-22/fleet_resampled.txt)
inline constexpr std::array<Number, 3> kAskedExtent{
    {{0.75,
      "of the threshold",
      "140 s: the largest excursion of the runs reaches 0.73 under a score of 0.95"},
     {0.76, "of the threshold", "280 s: of the runs 0.4, of noise made of their blocks 0.8"},
     {0.6, "of the threshold", "560 s: of the runs 0.44"}}};
inline constexpr Number kExcursionMargin{
    1.1,
    "of the largest excursion",
    "the next one may be a little larger"};
inline constexpr Number kMostExtent{
    1.5,
    "of the threshold",
    "more is never asked for: a fault must stay in sight"};
inline constexpr Number kCrowd{
    0.15,
    "more, for each other machine that begins to deviate in the same look",
    "noise that machines share (a phase of the job, one meter for two) moved two to six at once in days of "
    "blocks (bench/results/2026-11-22/fleet_resampled.txt)"};
inline constexpr Number kExcursionWindows{4, "windows", "a deviation that ended within so many was noise"};
inline constexpr Number kExcursionHalfLife{30, "days", "jobs change; a month of noise is remembered by half"};

// rank
inline constexpr Number kUsualOf{200, "scores", "before one in a hundred of them can be told"};
inline constexpr Number kUsualShare{0.99, "", "of a metric's earlier scores lie under what is usual"};
inline constexpr Number kLeastUsual{
    0.05,
    "of the threshold",
    "a metric that never moves must not make every score large"};
// docs/methods/fleet.md: a uniformly slow fleet
inline constexpr Number kSlowFleet{
    0.05,
    "of the prediction",
    "least excess; twice the model's own error where that is more"};
inline constexpr Number kCoarse{
    0.1,
    "of the peers' level",
    "a loss of a tenth is what a watch is for: one that would miss it says so"};

}  // namespace lento::fleet::tuning
