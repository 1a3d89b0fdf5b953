// The numbers that the detector of slow parts was given, with unit, reason and source. What follows from the
// chip file or from healthy draws is computed where it is used.
#pragma once

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

}  // namespace lento::chip
