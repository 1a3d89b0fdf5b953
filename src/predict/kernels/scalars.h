// Indices into the vector of fitted scalars of each kind of kernel. Meanings and fits:
// docs/methods/serving_kernels.md.
#pragma once

#include "predict/kernels/kernels.h"

namespace lento::predict {

// Scalars that every kind has: the launch in us, and the shares of peak compute rate and memory bandwidth.
enum : size_t {
  kLaunch = 0,
  kCompute = 1,
  kMemory = 2
};
// Scalars of a layer of experts.
enum : size_t {
  kTile = 3,     // rows of a tile
  kWave = 4,     // slow-down by units without a tile in the last wave
  kTraffic = 5,  // traffic to gather and sum rows, over the least possible
  kEach = 6,     // us for each expert
  kWhole = 7     // time to sort and skip rows of other devices' experts, over moving them once
};
// Scalars of attention.
enum : size_t {
  kFast = 3,    // bandwidth of the last-level cache over that of the memory
  kItem = 4,    // us of one item: a block of queries or a group of heads of one sequence
  kToken = 5,   // decode: ns per key and value of one item
  kSplits = 6,  // decode: splits of one item's keys
  kPacked = 7,  // query heads of one group that share an item
  kJoin = 8,    // decode: us of the pass that joins the splits
  kExtra = 3,   // prefill: keys computed beyond the causal ones
  kRows = 5,    // prefill: queries in a block
  kLeak = 6,    // prefill: share of the keys outside a window that is still computed
  kNarrow = 7,  // prefill: exponent of the speed in head size / 128, for heads below 128
  kWide = 8,    // prefill: exponent of the loss in head size / 128, for heads above 128
  kTail = 9     // prefill: share of the longest block's extra time that is waited for
};

// Returns the operations per second at which the chip multiplies in this precision, or in 16 bits when it
// lacks the precision.
double peak_of(const Chip& chip, Precision arithmetic);

FusedTime time_experts(const PreparedKernel& p, const KernelScalars& x);
FusedTime time_prefill(const PreparedKernel& p, const KernelScalars& x);
FusedTime time_decode(const PreparedKernel& p, const KernelScalars& x);

}  // namespace lento::predict
