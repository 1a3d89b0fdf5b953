// The case studies (Bryt section 7), each as one function that gives a Diagnosis with its table and pictures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/finding.h"
#include "tile/block/front_end.h"
#include "tile/block/gpu_sm.h"
#include "tile/seal/image.h"

namespace lento::tile {

// Prefetcher in the wild: a tile beside a front end without prefetcher emulates the entangling one.
struct EmulatedPrefetch {
  FrontEndCounters emulated;                  // accesses, misses, useful; late and wrong summed in `wrong`
  uint64_t lookups = 0, dropped_lookups = 0;  // table look-ups, and those lost to a full queue
  uint64_t output_bytes = 0, cycles = 0;
};
struct EmulatorOptions {
  EntanglingOptions entangling;
  uint32_t queue = 8;         // line visits that may wait for the table
  uint32_t entry_cycles = 2;  // of the 64-bit scratchpad port for the 79 bits of one entry
};
EmulatedPrefetch emulate_prefetcher(const LineTrace& trace, const Image& program,
                                    const EmulatorOptions& options = {});

finding::Diagnosis prefetch_case(const std::vector<std::string>& trace_files, const base::Progress& progress);

// GPU utilisation: counts of 256-cycle windows.
struct GpuWindows {
  GemmShape shape;
  uint64_t cycles = 0, taken_cycles = 0;    // of the SM; that reached the tile's counters
  uint64_t windows = 0, wrong_windows = 0;  // wrong: differ from the counts of the very cycles taken
  uint64_t bins[8] = {};                    // by which units are high: bit 0 SIMT, bit 1 tensor, bit 2 memory
  double mean_active[3] = {};
};
GpuWindows count_gpu_windows(const GemmShape& shape, const Image& program, uint64_t max_cycles,
                             uint64_t seed);

finding::Diagnosis gpu_case(uint64_t max_cycles, uint64_t seed, const base::Progress& progress);

}  // namespace lento::tile
