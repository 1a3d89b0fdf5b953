// Every number that the fit of a chip's twin was given, with its unit and its reason.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lento::chip {

// A normal's deviation over the median of its absolute values: 1 / 0.6745.
inline constexpr double kNormalPerMedian = 1.4826;
// Deviations beyond which a row counts for nothing (Tukey's biweight at 95 % efficiency), and where the
// milder weight of the first rounds has fallen to a half.
inline constexpr double kTukeyCut = 4.685;
inline constexpr double kMildCut = 2;
// Rounds of reweighting, sweeps in each, and the move in octaves below which a sweep changed nothing: they
// decide only how exactly the optimum is met.
inline constexpr int kReweightings = 10;
inline constexpr int kSweeps = 60;
inline constexpr double kSettled = 1e-5;
// Unknowns up to which the error of each is told with the others unknown too, beyond with the others held: a
// cube of their number, half a second for a chip of 16 by 16.
inline constexpr size_t kMostTogether = 1024;

// Octaves by which a class may differ from its file before anything is seen: a factor of 1.4, twice what was
// asked of the twin (20 %), so that the prior hardly pulls.
inline constexpr double kClassPrior = 0.5;
// The same of one part against its class; cut to what the class turns out to spread.
inline constexpr double kPartPrior = 0.25;
// Octaves by which two sketches of the same chip may differ for the resolution of a level (1/256) and of a
// bin.
inline constexpr double kResolution = 0.004;
// A class differs from its file when it does so by this many standard errors and by this much, in octaves (1
// %): less than the noise of one part could ever show as a fault.
inline constexpr double kSurelyErrors = 4;
inline constexpr double kLeastDifference = 0.0144;
// Deviations of its class beyond which a part is not unequal but ill: a normal has 1 of 16,000 there.
inline constexpr double kMostSpreads = 4;
// Octaves: the largest own deviation (a factor of 1.5) that passes for that of a healthy part whatever its
// class spreads. At a spread of 20 % a healthy part reaches 1.4.
inline constexpr double kMostOwn = 0.585;
// Octaves a class spreads at least before its parts get numbers of their own (1.5 %).
inline constexpr double kLeastSpread = 0.02;
// Quantile of the distances of parts from their centre that tells how much a class spreads, and that of a
// normal in deviations: a quarter of the parts may be ill, and it scatters less than the median.
inline constexpr double kSpreadQuantile = 0.75;
inline constexpr double kNormalAtQuantile = 1.1503;
// Standard deviations of the spread itself by which a class must spread more than its parts' errors explain,
// and that deviation for a normal, relative, times the root of the number of parts: sqrt(q (1 - q)) over the
// density and the place of the quantile.
inline constexpr double kSurelyUnequal = 3;
// The same of errors with the other parts unknown too, which parts share: of 26 healthy runs of DarkNet-19
// none showed more than 1.11 times what the errors say, of 15 with parts unequal by 10 % the links 1.23
// to 1.95, the DRAM ports 1.11 to 3.95, the memory units from 6.8.
inline constexpr double kSurelyUnequalTogether = 1;
inline constexpr double kSpreadError = 0.914;
// Halvings of the interval in which a spread is looked for.
inline constexpr int kSpreadHalvings = 30;
// Simulated runs of the chip for one round, and rounds: by the third the residuals are those of the noise.
inline constexpr uint32_t kFitDraws = 3;
inline constexpr int kFitRounds = 4;
// Records that may be simulated in all rounds, and rounds for which there must be as many: on 32x32 a round
// of DarkNet-19 simulates 9 million in 40 s, and its misfit was 2.0, 1.9, 1.7, 1.8 and 1.9 by rounds.
inline constexpr double kFitRecords = 20e6;
inline constexpr int kLeastFitRounds = 2;
// Of runs that hold so many records together.
constexpr int fit_rounds(double records) {
  const double affordable = kFitRecords / (kFitDraws * std::max(records, 1.0));
  return int(std::clamp(affordable, double{kLeastFitRounds}, double{kFitRounds}));
}
// Records of a pattern below which its fastest and its median say little.
inline constexpr uint64_t kLeastRecords = 4;

// Deviations up to which one pattern counts towards the misfit: beyond lies a fault.
inline constexpr double kMostOfOneRow = 4;
// Misfit from which the buffers are asked about, and by how much other buffers must tell the course better.
// Measured on DarkNet-19, 4x4: misfits of 0.7 to 1.0 on healthy runs of a chip like its file, 1.1 to 1.8 with
// buffers of four times the segments; there the course is told worse by 0.11 with twice the segments than
// with the file's, here better by 0.03 to 0.11.
inline constexpr double kMisfit = 1.0;
inline constexpr double kMuchBetter = 0.015;
// Sizes that tell it so little worse are possible too: of ten runs with four times the segments the course of
// one was told better with twice by 0.03, of three by less than 0.012 worse.
inline constexpr double kAsWell = 0.04;
// Bins of a run that are judged together: a run is ahead of its simulation by a fraction of that.
inline constexpr size_t kBinsInGroup = 4;
// Times as many segments as the file says, at most: beyond, hardly a transfer waits for a buffer.
inline constexpr int kMostBuffers = 8;
// Deviations by which the nearer half of the patterns may lie off before the twin explains nothing.
inline constexpr double kMostScatter = 2.5;

}  // namespace lento::chip
