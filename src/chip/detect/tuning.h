// The tuned constants of the detector of slow parts, with unit, reason and source. Strength, gain and misfit
// are log-likelihoods (natural logarithm): the strength of a component is its log-likelihood ratio in the
// scan, its gain is by how much its simulation raises the log-likelihood of the recorded run, and the misfit
// is minus that log-likelihood. Values that follow from the chip file or from simulated healthy runs are
// computed where they are used. The first two sections decide verdicts. The last ones set resolution and cost
// of the search, and the length of reports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lento::chip {

// ---- records of another mapping (belongs.cc)

// Largest share of a sketch's patterns that may be absent from the mapping. Above it the records count as
// those of another mapping. Records of the right mapping have none, unless single records are damaged.
inline constexpr double kMostStrange = 0.02;
// Share of the planned records that must be recorded, of the chip and of each core, for an all-clear. A tenth
// lost at random changes no verdict (campaigns/lost_records.yaml), and a run that was cut short hides its
// rest.
inline constexpr double kLeastRecorded = 0.75;

// ---- everything that moves data (detect.cc, thresholds.cc, contest.cc, factor.cc)

// Smallest factor that is reported of a part that moves data, and of a core. Healthy parts of one kind differ
// by up to the first (by 1.4 where their rates have a standard deviation of 20 %, of which the fit explains a
// part). Rates of cores are measured more exactly.
inline constexpr double kLeastFactor = 1.3;
inline constexpr double kLeastCoreFactor = 1.1;
// Strength (log-likelihood ratio of the scan) that a component needs when the chip is not simulated, because
// there are no simulated healthy runs then from which a threshold follows. It is five times the threshold of
// the examples that are simulated.
inline constexpr double kUnreplayed = 65;
// Least strength (log-likelihood ratio of the scan) with which a first component is simulated, when it also
// exceeds that of all components in healthy runs. With 15, a component is reported in a healthy run of the
// shipped example. With more than 18, faults of factor 1.5 are lost.
inline constexpr double kSimulatedAnyway = 18;
// Number of hypotheses with the highest strength that are simulated first. The others follow only when one of
// these has a gain. The strongest had a gain of 8 or more for each of 54 slow links of factor 1.5 to 10 on
// chips of 4x4 cores. In 12 searches of runs without a fault none of the strongest eight had a gain. As many
// again are chosen by the factor that their fastest transfers show: where queues are full and dozens of parts
// have a high strength, the slow part is first or second in that order.
inline constexpr size_t kSimulatedFirst = 3;
// Simulations for one hypothesis with its corrections. Where fewer are left for each, hypotheses are compared
// on the first part of their intervals only, and kKeptForFinalists simulations are kept to simulate the best
// of them over their whole intervals.
inline constexpr double kReplaysEach = 4;
inline constexpr int kKeptForFinalists = 6;
// The hypothesis with the largest gain is clearly ahead when the next gain is at most this share of its gain,
// and its gain is at least this share of its strength. A router, memory unit or port wins against a link when
// this share of its gain exceeds the gain of the link.
inline constexpr double kRivalShare = 0.75;
// Share of the misfit beyond that of a median healthy run that a further component must explain by its gain.
// 23 of 24 second faults explained half or more. Errors in the factor and begin of the first component leave
// a misfit of which many components explain a little.
inline constexpr double kLeastExplained = 1.0 / 3;
// Share of the misfit beyond that of a median healthy run that the first component must explain when it is
// not clearly ahead (kRivalShare). 64 of 67 right hypotheses explained a share of 0.46 or more, and two of
// three wrong ones, in networks with full queues, 0.35 or less (bench/results/2026-11-26/chip_explained.csv).
inline constexpr double kLeastExplainedAlone = 0.4;
// Largest ratio of the scatter of levels above the expected level of a slow component to the scatter below
// it. Levels scatter more above, because queues only add time.
inline constexpr double kMostWider = 2;
// With at least kManyPatterns patterns through a component, the density of its slow cells in the scan is
// normalised to the same integral as that of healthy cells. With at most kFewPatterns it is not, and between
// both numbers the correction is interpolated (scan.cc).
//
// Without normalisation every scattered cell counts for a slow component. With 400 patterns (four chips,
// GoogLeNet) the strength of components of healthy runs reached 270 to 300, and 13 to 14 normalised
// (bench/results/2026-11-24/chip_stages.csv). With few patterns the threshold from simulated healthy runs
// suffices, and normalisation harms: a link slower by 1.5 for a tenth of a run is then lost, and one of nine
// healthy runs, in which two layers wait for each other in turn for long, has a false report
// (lab/chip/trial.test.cc). With a kManyPatterns of 200 no verdict was possible on a Llama-like network on
// 16x16, with 60 it was. Interpolation is needed because, at a step, components with slightly fewer patterns
// have a high strength by their scatter alone and precede those with more (GPT-2 on 16x16, a slow link of 78
// patterns: the first four components of the list had 55 to 59 patterns).
inline constexpr double kManyPatterns = 40;
inline constexpr double kFewPatterns = 20;
// Factor by which noise may have made the fastest of a few transfers over a link faster than the average one.
inline constexpr double kFastestAheadByNoise = 2.5;
// The quantile (lower quartile) that is used in two places: over the patterns through a component, to bound
// its factor although a quarter of them were faster than a slow server allows, and over the bins of a row, as
// its healthy level when the run is its own baseline.
inline constexpr double kFewest = 0.25;
// Smallest change of a level that counts, octaves. A pattern helps to estimate a component's factor only if
// slowing the component by kMostFactor would raise the pattern's level by this, and counts as slow in the
// evidence when its level exceeds the expected one by this. Without healthy runs (baselines_within) queues
// are unknown. This is then also the assumed standard deviation that all records of a bin share, and is added
// to the upper quartile of the rows' excess over their unloaded level, which limits the baseline of each row.
inline constexpr double kVisible = 0.3;
// Smallest standard deviation of the level of one record and of a bin's mean, octaves. The recorder stores
// means of up to 15 records in steps of 1/256 octave, and few bins are not enough to estimate less.
inline constexpr double kLeastNoise = 0.08;

// ---- resolution and cost of the search

// Factors of the scan, about a quarter of an octave apart and then half an octave. The fastest transfers
// (envelope_factor()) and simulation refine them.
inline constexpr std::array kFactors{1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 14.0, 20.0};
// The largest factor that is tried.
inline constexpr double kMostFactor = 64;
// The ratio by which a factor is refined, and the smallest factor that is tried.
inline constexpr double kFactorStep = 1.1;
// Smallest share of a time bin that a fault is assumed to cover.
inline constexpr double kPartly = 0.2;
// Number of successive bins whose mean level is compared as one in a misfit, and the least number of bins or
// records for a mean, a standard deviation or an autocorrelation.
inline constexpr size_t kBinsTogether = 4;

// ---- what is shown

// Strength (log-likelihood ratio of the scan) at which a score is 1 - 1/e.
inline constexpr double kScoreStrength = 100;
// Most transfer patterns that are listed for a component, and most components in the ranked list.
inline constexpr size_t kRoutesShown = 6;
inline constexpr size_t kMostRanked = 10;

}  // namespace lento::chip
