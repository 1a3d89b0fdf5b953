// The index of each scalar of a kind.
#pragma once

#include "predict/kernels/kernels.h"

namespace lento::predict {

// Scalars of all kinds: shares of the chip's peaks, and the launch in us.
enum : size_t {
  kLaunch = 0,
  kCompute = 1,
  kMemory = 2
};
// Scalars of a layer of experts.
enum : size_t {
  kTile = 3,     // rows a tile holds
  kWave = 4,     // what units that are not filled cost
  kTraffic = 5,  // of gathered and summed rows, over the least
  kEach = 6,     // us of an expert
  kWhole = 7  // of the rows of all devices that share the experts: sorted and skipped, over moving them once
};
// Scalars of attention.
enum : size_t {
  kFast = 3,    // bandwidth of the last-level cache over the memory's
  kItem = 4,    // us of one item: a block of queries or a group of heads of one sequence
  kToken = 5,   // decode: ns of a key and value, one item
  kSplits = 6,  // decode: ways in which one item's keys are shared out
  kPacked = 7,  // query heads of a group in one item
  kJoin = 8,    // decode: us of the pass that joins what shares of an item's keys gave
  kExtra = 3,   // prefill: keys a query meets beyond those it must
  kRows = 5,    // prefill: queries of a block
  kLeak = 6,    // prefill: share of the keys outside a window that is met all the same
  kNarrow = 7,  // prefill: exponent of the peak in head size over 128, below it
  kWide = 8,    // prefill: the same above it, of what is lost
  kTail = 9     // prefill: share of the longest block's lead that is waited for
};

// Returns the peak of an arithmetic. A chip without it computes in 16 bits.
double peak_of(const Chip& chip, Precision arithmetic);

FusedTime time_experts(const PreparedKernel& p, const KernelScalars& x);
FusedTime time_prefill(const PreparedKernel& p, const KernelScalars& x);
FusedTime time_decode(const PreparedKernel& p, const KernelScalars& x);

}  // namespace lento::predict
