// The numbers that the detector of slow parts was given, with unit, reason and source. What follows from the
// chip file or from healthy draws is computed where it is used. The first two parts decide verdicts; the last
// one holds how finely and how long is looked, and what is shown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lento::chip {

// ---- slow cores (slow_cores.cc)

// Times slower that a recorder must be able to tell before a diagnosis of cores is complete: the largest
// fault of the paper is 10.
inline constexpr double kLeastRoom = 16;
// Levels, in nominal rates, at which the noise of an operation reaches the end of the recorder's scale of 12
// bits.
inline constexpr double kLowestLevel = 64;
// Log-likelihood that one operation can add: beyond ten deviations its noise is no longer known to be normal.
inline constexpr double kMostOfOne = 50;
// Deviations of the rate's noise that an episode lies above its core at least: as many as the recorder asks
// for.
inline constexpr double kQuietDeviations = 4.5;
// The least noise of a core's rate, relative: a whole number of cycles of the shortest judged operation (64).
inline constexpr double kLeastNoise = 0.0078;
// Relative difference between most cores and the chip file below which there is none: rounding of short
// operations.
inline constexpr double kSameRate = 0.05;

// ---- records of another mapping (belongs.cc)

// Share of a pattern's size by which a running mean of 64 may leave what was planned: its arithmetic is that
// of hardware, with reciprocals of 16 bits.
inline constexpr double kSameWork = 0.01;
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
inline constexpr double kUnreplayed = 54;
// Share of its strength that the next may have for the first to stand out without a replay: related ones,
// such as a link and its router, come nearer.
inline constexpr double kApart = 0.65;
// Quantile of what components show on healthy runs from which the tail is taken for exponential: below, most
// show nothing.
inline constexpr double kTailFrom = 0.75;
// Share of a component's strength that its simulation must gain, and the gain that is enough for any: a
// simulation is out of step with the run by a fraction of a bin.
inline constexpr double kGainShare = 0.25;
inline constexpr double kEnoughGain = 15;
inline constexpr double kLeastGain = 4;
// Strength needed of a first component: this, and so many times what it shows on healthy draws, at most the
// last. Thresholds from the tail of the draws alone, tried for it, missed a mild slow link that is quiet and
// accused a drifting healthy one (lab/chip/trial.test.cc).
inline constexpr double kFloor = 6;
inline constexpr double kHealthyTimes = 2;
inline constexpr double kMostNeeded = 18;
// The least strength of a later component, and beside a slow core, which changes the rhythm of the whole
// chip: three draws show less of that than there is. Without them, of 28 faults on a chip with parts unequal
// by 10 % two brought a second component, and of 28 with larger buffers two.
inline constexpr double kLater = 25;
inline constexpr double kBesideCore = 90;
// Times the strength needed when one pattern accuses and others contradict.
inline constexpr double kAlone = 2;
// Share of the strength of a component that was found that one with common transfers must have: its factor
// and its time are known to a tenth and half a bin, and what is wrong about them shows there.
inline constexpr double kStirredUp = 0.25;
// Gains that differ by less are equal, in log-likelihood and as a share: draws of one chip differ by that.
inline constexpr double kSameGain = 6;
inline constexpr double kSameShare = 0.2;
// A winner stands out when the next one gains at most this share of what it gains, and itself gains this
// share of what the closed form promised.
inline constexpr double kRivalShare = 0.75;
inline constexpr double kPromisedShare = 0.5;
// The fastest of a few transfers may have met this much less than the mean time of a noisy link; and so may
// this share of the patterns have met less than a slow server allows.
inline constexpr double kLuck = 2.5;
inline constexpr double kLuckyShare = 0.2;
// Octaves that a pattern must gain at the largest factor to be asked about it, or lie above what is expected
// to be shown as slow: a bin's mean is known to about that.
inline constexpr double kVisible = 0.3;

// ---- noise of transfers that too few records tell (cells.cc, expected.cc); octaves

// Of one record, within these bounds; common to a time bin, at least this. Links of the examples have a CV of
// 0.35, which is 0.5 octaves; a mean of 15 records is kept in steps of 1/256.
inline constexpr double kLeastSingle = 0.1;
inline constexpr double kMostSingle = 0.6;
inline constexpr double kLeastCommon = 0.08;
// Common to a bin of a run that is judged by itself: its queues are not known.
inline constexpr double kUnknownCommon = 0.35;
// Share of a run's bins that are taken for healthy when it is judged by itself, and what queues may add
// there.
inline constexpr double kHealthyShare = 0.25;
inline constexpr double kMostQueue = 0.25;
// Records of a reference near a bin that outweigh its mean over the run.
inline constexpr double kLocalRecords = 6;

// ---- how finely and how long is looked: cost and exactness

// Factors that the scan tries, about a quarter of an octave apart and then a half: the envelope and the
// replay settle the rest.
inline constexpr std::array kFactors{1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 14.0, 20.0};
// The largest and the least factor that is tried, and halvings of the interval between them.
inline constexpr double kMostFactor = 64;
inline constexpr double kLeastShown = 1.1;
inline constexpr int kHalvings = 30;
// A replay corrects the factor at most to this power.
inline constexpr double kMostCorrection = 2;
// Share of a bin that a fault is taken to cover at least.
inline constexpr double kPartly = 0.2;
// An interval of this many bins has at least one that it covers wholly; a shorter one is tried as a part that
// is this much slower.
inline constexpr uint64_t kWholeBins = 3;
inline constexpr double kSharp = 8;
// Hypotheses heard at a time, corrections of the factor of each, ways to sharpen one, the step of a factor
// and, relative, the step that is none.
inline constexpr size_t kMostHeard = 8;
inline constexpr int kCorrections = 2;
inline constexpr int kChanges = 5;
inline constexpr double kFactorStep = 1.1;
inline constexpr double kSameFactor = 0.05;
// Bins that are judged together, bins that tell no autocorrelation, the most of it that neighbours are taken
// to have, and draws of a chip with faults.
inline constexpr size_t kBinsTogether = 4;
inline constexpr double kFewBins = 4;
inline constexpr double kMostCorrelated = 0.95;
inline constexpr size_t kRhythms = 3;
// Narrow bins in a wide one, at most: a run this much longer than another tells nothing.
inline constexpr uint64_t kMostParts = 1024;

// ---- what is shown

// Strength at which a score is 1 - 1/e.
inline constexpr double kScoreStrength = 100;
inline constexpr size_t kRoutesShown = 6;
inline constexpr size_t kMostRanked = 10;

}  // namespace lento::chip
