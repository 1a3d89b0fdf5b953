// The constants that decide the layout of layers, with their reasons.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lento::chip {

// Cuts of a layer that are compared with those of its neighbours: the best few by the layer's cost alone, for
// each number of parts along the batch. Operations without weights cost little alone and much where no data
// is in place: for attention, the cut along its heads is not among the first ten.
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

// Bytes of a part's weights in one run where they are handed on, about, and the most runs of a part.
constexpr int64_t kRunBytes = 32 << 10;
constexpr int64_t kMostRuns = 16;

// The same of products that a group sums: each run is sent to all of the group, and a window of ten
// instructions lets in no reads before those messages have left.
constexpr int64_t kRankRunBytes = 64 << 10;

// Reads of a run of weights, of so many bytes about: at most the slots of a memory unit.
constexpr int64_t kReadsARun = 4;
constexpr int64_t kReadBytes = 16 << 10;

// Share of the capacity of the links over the middle of a block that is used while all its cores exchange.
constexpr double kMiddleShare = 0.75;

// Numbers of cores of a group that are compared where mappings can be simulated, and of those that hand their
// weights on: the first number with all layouts, the others with those within a factor of the best.
constexpr int kGroupCores[] = {4, 8, 16, 32, 64};
constexpr int kSharers[] = {2, 1, 4};
constexpr double kNearBest = 1.5;

// Layouts that are simulated. The error of the cost model between them is a quarter.
constexpr size_t kJudged = 10;

// With a sample for so many cores, groups have samples of their own and beat layers cut one by one.
constexpr int64_t kSamplesOfGroups = 8;

// Pass sizes of groupings that are compared once the scratchpads hold the intermediate results of all layers.
constexpr int kWholePasses = 1;

// Layers behind a producer that can still read it. A residual sum of a transformer reads eight back.
constexpr size_t kLongestReach = 64;

// Channels that a product reduces at a time, at most: whole rows, or runs of them where whole rows of enough
// tokens fill the scratchpads.
constexpr int64_t kChunks[] = {INT64_MAX, 4096, 2048, 1024};

}  // namespace lento::chip
