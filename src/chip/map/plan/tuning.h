// The constants that decide the layout of layers, with their reasons.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lento::chip {

// Cuts of a layer that are compared with those of its neighbours: the best few by the layer's own cost, for
// each number of parts along the batch. Operations without weights are cheap alone and expensive when their
// data is elsewhere: for attention, the cut along its heads is not among the first ten.
constexpr size_t kCutsABatch = 10;
constexpr size_t kCutsOfOperations = 40;

// Parts of a layer that represent all. Parts are alike except at borders.
constexpr size_t kSampledParts = 16;

// Rounds of improving one layer's cut after the other. Nearly all changes come in the first two.
constexpr int kRounds = 4;

// Bytes of weights that one sub-step reads, about, and the most sub-steps of a part: four reads fill a memory
// unit, and a window of ten instructions holds three sub-steps.
constexpr int64_t kStreamStepBytes = 16 << 10;
constexpr int64_t kStreamSteps = 32;

// Approximate bytes of weights in one run, and the most runs of a part. A run is a range of channels that is
// computed at once where cores pass weights on.
constexpr int64_t kRunBytes = 32 << 10;
constexpr int64_t kMostRuns = 16;

// Approximate bytes of weights in one run of channels (kRunBytes) where the cores of a group sum a product
// together. The partial sums of each run are sent to the whole group, and a window of ten instructions admits
// no reads before those messages have left.
constexpr int64_t kRankRunBytes = 64 << 10;

// The weights of one run of channels are read in at most this many reads of about kReadBytes each. A memory
// unit needs a slot for each read.
constexpr int64_t kReadsARun = 4;
constexpr int64_t kReadBytes = 16 << 10;

// Share of the capacity of the links over the middle line of a block that is used while all its cores
// exchange.
constexpr double kMiddleShare = 0.75;

// Group sizes that are compared when mappings can be simulated, and numbers of cores that share weights. The
// first number of sharers is tried with all layouts, the others with layouts whose model cost is at most
// kNearBest times the lowest.
constexpr int kGroupCores[] = {4, 8, 16, 32, 64};
constexpr int kSharers[] = {2, 1, 4};
constexpr double kNearBest = 1.5;

// Number of layouts that are simulated. The cost model is wrong by about 25 % between them.
constexpr size_t kJudged = 10;

// With at least one sample per so many cores, groups get separate samples and beat layers that are cut one by
// one.
constexpr int64_t kSamplesOfGroups = 8;

// Number of pass sizes that are compared for a grouping once the scratchpads hold the intermediate results of
// all layers.
constexpr int kWholePasses = 1;

// Largest distance between a layer and its reader. A residual sum of a transformer reads a layer eight back.
constexpr size_t kLongestReach = 64;

// Most channels that a product reduces at a time: whole rows, or runs of them when whole rows of enough
// tokens do not fit the scratchpads.
constexpr int64_t kChunks[] = {INT64_MAX, 4096, 2048, 1024};

}  // namespace lento::chip
