// The tuned constants of the detector of slow parts, with unit, reason and source. Values that follow from
// the chip file or from healthy draws are computed where they are used. The first two sections decide
// verdicts. The last ones set resolution and cost of the search, and the length of reports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lento::chip {

// ---- records of another mapping (belongs.cc)

// Largest share of patterns that the mapping does not plan, before the records count as those of another
// mapping. Records of the right mapping have none, unless single records are damaged.
inline constexpr double kMostStrange = 0.02;
// Share of the planned records, of the chip and of each core, below which no all-clear is given. A tenth lost
// at random changes no verdict (campaigns/lost_records.yaml), and a run cut short hides its rest.
inline constexpr double kLeastRecorded = 0.75;

// ---- everything that moves data (detect.cc, thresholds.cc, contest.cc, factor.cc)

// Smallest factor that is reported. Healthy parts of one class differ by up to this factor (1.4 at a spread
// of 20 %, of which the fit explains a part). Cores are measured more exactly.
inline constexpr double kLeastFactor = 1.3;
inline constexpr double kLeastCoreFactor = 1.1;
// Gain in log-likelihood that a component needs when the chip is not simulated, because no threshold follows
// from healthy runs then. It is five times the threshold of the examples that are simulated.
inline constexpr double kUnreplayed = 65;
// Strength from which a first component is simulated when no component of the healthy chip reaches as much.
// At 15 a healthy run of the shipped example has a report, and above 18, faults of 1.5 are lost.
inline constexpr double kSimulatedAnyway = 18;
// Number of strongest hypotheses that are simulated first. The others follow only when one of these gains
// something. In 54 slow links of x1.5 to x10 on 4x4 the strongest alone gained 8 or more each time. In 12
// searches of runs without a fault none of eight gained anything. As many more are taken by the factor that
// their fastest transfers show: where full queues give dozens of parts much strength, the slow part is first
// or second in that order.
inline constexpr size_t kSimulatedFirst = 3;
// Replays for one hypothesis with its corrections. Where fewer runs of the whole chip can be afforded,
// hypotheses are compared on a part of their intervals, and kKeptForFinalists whole replays are kept for the
// best of them.
inline constexpr double kReplaysEach = 4;
inline constexpr int kKeptForFinalists = 6;
// A winner is clear when the next one gains at most this share of its gain, and its gain is at least this
// share of its strength in the scan. A larger component must exceed a smaller one by the same.
inline constexpr double kRivalShare = 0.75;
// Share of the misfit beyond chance that a further component must explain. Of 24 second faults 23 explained
// half or more. The misfit that errors of a found fault leave is explained a little by many components.
inline constexpr double kLeastExplained = 1.0 / 3;
// The same of a first component that gains little more than the next one: of 67 that were right 64 explained
// 0.46 or more, of three wrong ones in full networks two 0.35 or less
// (bench/results/2026-11-26/chip_explained.csv).
inline constexpr double kLeastExplainedAlone = 0.4;
// Largest ratio of the scatter above the level of a slow component to the scatter below it. Transfers scatter
// more above, because queues only add time.
inline constexpr double kMostWider = 2;
// Patterns through a component from which the density of its slow transfers must be normalised. Unnormalised,
// every scattered cell counts for a slow component. With 400 patterns (four chips, GoogLeNet) components of
// healthy runs reached 270 to 300, normalised 13 to 14 (bench/results/2026-11-24/chip_stages.csv). With few
// patterns the threshold follows from healthy draws, and mild slow links need the first density: a link of
// 1.5 times for a tenth of a run is lost normalised, and one of nine drifting healthy runs has a report
// (lab/chip/trial.test.cc). With 200 a Llama-like network on 16x16 could not be judged that 60 judges.
// Between both numbers the density is mixed. At a step, components just below it are strong by their scatter
// and lead the list of those above it (GPT-2 on 16x16, a slow link of 78 patterns: the first four had 55 to
// 59).
inline constexpr double kManyPatterns = 40;
inline constexpr double kFewPatterns = 20;
// Factor by which a noisy link may have served the fastest of a few transfers faster than on average.
inline constexpr double kLuck = 2.5;
// The lower quartile is taken in two places: this share of patterns may have been served faster than a slow
// server allows, and this share of a run's bins counts as healthy when the run is its own baseline.
inline constexpr double kFewest = 0.25;
// Smallest visible change of a bin's mean, octaves. A pattern counts for a component when the largest factor
// would change it by at least this, and is shown as slow when it exceeds its expectation by this. When a run
// is its own baseline, unknown queues add this to the deviation of each bin and of all.
inline constexpr double kVisible = 0.3;
// Smallest noise of one record and of a time bin, octaves. A mean of 15 records is kept in steps of 1/256,
// and few bins cannot estimate less.
inline constexpr double kLeastNoise = 0.08;

// ---- resolution and cost of the search

// Factors of the scan, about a quarter of an octave apart and then a half. The envelope and the replay refine
// them.
inline constexpr std::array kFactors{1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 14.0, 20.0};
// The largest factor that is tried.
inline constexpr double kMostFactor = 64;
// The ratio between two neighbouring factors, and the smallest factor that is tried.
inline constexpr double kFactorStep = 1.1;
// Smallest share of a bin that a fault is assumed to cover.
inline constexpr double kPartly = 0.2;
// Bins that are judged together, and the least number of bins or records for a mean, a spread or an
// autocorrelation.
inline constexpr size_t kBinsTogether = 4;

// ---- what is shown

// Strength at which a score is 1 - 1/e.
inline constexpr double kScoreStrength = 100;
// Most transfer patterns that are shown of a component, and most components in the ranked list.
inline constexpr size_t kRoutesShown = 6;
inline constexpr size_t kMostRanked = 10;

}  // namespace lento::chip
