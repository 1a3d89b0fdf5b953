// The numbers that the detector of slow parts was given, with unit, reason and source. What follows from the
// chip file or from healthy draws is computed where it is used. The first two parts decide verdicts; the last
// one holds how finely and how long is looked, and what is shown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lento::chip {

// ---- records of another mapping (belongs.cc)

// Share of the patterns that may be strange before the records are another mapping's: damage to single
// records. Of the right mapping none is, by construction.
inline constexpr double kMostStrange = 0.02;
// Share of the planned records, of the chip and of each core, without which "healthy" is not said: a tenth
// lost at random changes no verdict (campaigns/lost_records.yaml), a run cut short hides what came after.
inline constexpr double kLeastRecorded = 0.75;

// ---- everything that moves data (detect.cc, thresholds.cc, contest.cc, factor.cc)

// Times slower below which nothing is reported: healthy parts of one class differ by so much (1.4 at a spread
// of 20 %, with the twin's own share taken off); cores are told more exactly.
inline constexpr double kLeastFactor = 1.3;
inline constexpr double kLeastCoreFactor = 1.1;
// Log-likelihood that a component needs when the chip is not simulated: nobody knows then what it shows when
// it is healthy. Five times what simulated ones need on the examples.
inline constexpr double kUnreplayed = 65;
// Strength from which a first component is simulated when no component of the healthy chip shows as much:
// with less a healthy run of the shipped example is accused at 15, and with more, faults of 1.5 are lost.
inline constexpr double kSimulatedAnyway = 18;
// Hypotheses that are simulated at first, the strongest; the others only when one of these gains something.
// Of 54 slow links of x1.5 to x10 on 4x4 the strongest alone gained 8 or more each time; of 12 looks at runs
// in which nothing was to be found none of eight gained anything. As many join the strongest because their
// fastest transfers are slowest: where full queues make dozens strong, the slow part is first or second
// there.
inline constexpr size_t kHeardFirst = 3;
// Replays that hearing a hypothesis takes, its corrections among them: where fewer runs of the whole chip can
// be afforded, hypotheses are heard by a part of their intervals, and as many whole replays are kept for
// those that do best there.
inline constexpr double kReplaysEach = 4;
inline constexpr int kKeptForFinalists = 6;
// A winner stands out when the next one gains at most this share of what it gains, and itself gains this
// share of what the closed form promised; a larger component must stand out from a smaller one.
inline constexpr double kRivalShare = 0.75;
// Share of what lies beyond chance that a further component must explain: of 24 second faults 23 explained
// half or more, and what is left over beside a fault that is known only about is explained a little by many.
inline constexpr double kLeastExplained = 1.0 / 3;
// The same of a first component that gains little more than the next one: of 67 that were right 64 explained
// 0.46 or more, of three wrong ones in full networks two 0.35 or less
// (bench/results/2026-11-26/chip_explained.csv).
inline constexpr double kLeastExplainedAlone = 0.4;
// Times that the levels of transfers through a slow component scatter more above its level than below it, at
// most: its queues only add.
inline constexpr double kMostWider = 2;
// Patterns through a component from which that density must be normalised. Unnormalised, every scattered cell
// speaks for a slow component: of 400 patterns (four chips, GoogLeNet) components of healthy runs showed 270
// to 300, normalised 13 to 14 (bench/results/2026-11-24/chip_stages.csv). Of few patterns what is asked
// follows from what healthy draws show, and the milder of slow links need the first: a link of 1.5 times for
// a tenth of a run is lost normalised, and one of nine drifting healthy runs accused
// (lab/chip/trial.test.cc). With 200 a Llama-like network on 16x16 could not be judged that 60 judges.
// Between is a part of both: at a step, components just below it are strong by their scatter and lead the
// list of those above it (GPT-2 on 16x16, a slow link of 78 patterns: the first four had 55 to 59).
inline constexpr double kManyPatterns = 40;
inline constexpr double kFewPatterns = 20;
// The fastest of a few transfers may have met this much less than the mean time of a noisy link.
inline constexpr double kLuck = 2.5;
// Share of the patterns that may have met less than a slow server allows, and of a run's bins that are
// healthy whatever ails it when it is judged by itself: the lower quartile.
inline constexpr double kFewest = 0.25;
// Octaves that a bin's mean is known to: a pattern must gain as much at the largest factor to be asked about
// it, and lie as much above what is expected to be shown as slow. Of a run that is judged by itself queues
// are not known; they add as much, to each bin and to all.
inline constexpr double kVisible = 0.3;
// The least noise of one record and of a time bin, octaves: a mean of 15 records is kept in steps of 1/256,
// and few bins tell no less.
inline constexpr double kLeastNoise = 0.08;

// ---- how finely and how long is looked: cost and exactness

// Factors that the scan tries, about a quarter of an octave apart and then a half: the envelope and the
// replay settle the rest.
inline constexpr std::array kFactors{1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 14.0, 20.0};
// The largest factor that is tried.
inline constexpr double kMostFactor = 64;
// The step of a factor, and the least one that is tried.
inline constexpr double kFactorStep = 1.1;
// Share of a bin that a fault is taken to cover at least.
inline constexpr double kPartly = 0.2;
// Bins that are judged together, and bins or records that tell a mean, a spread or an autocorrelation.
inline constexpr size_t kBinsTogether = 4;

// ---- what is shown

// Strength at which a score is 1 - 1/e.
inline constexpr double kScoreStrength = 100;
// Transfer patterns of a component, and components in the list.
inline constexpr size_t kRoutesShown = 6;
inline constexpr size_t kMostRanked = 10;

}  // namespace lento::chip
