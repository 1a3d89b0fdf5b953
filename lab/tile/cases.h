// The case studies of Bryt section 7. Each is one function that returns a Diagnosis with its table and
// pictures.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/finding.h"
#include "lab/block/core_model.h"
#include "lab/block/front_end.h"
#include "lab/block/gpu_sm.h"
#include "lab/tile/prefetch_logic.h"
#include "riscv/elf.h"
#include "tile/seal/image.h"
#include "tile/unit/memory.h"
#include "tile/unit/tile.h"

namespace lento::tile {

// A tile beside a front end without prefetcher, which emulates an instruction prefetcher in its soft logic.
struct EmulatedPrefetch {
  FrontEndCounters emulated;  // accesses but those lost, misses, useful; `wrong`: also late
  // line visits, and those lost to a full queue
  uint64_t visits = 0;
  uint64_t visits_lost = 0;
  uint64_t looks = 0;  // visits that found their line in the table
  uint64_t output_bytes = 0;
  uint64_t cycles = 0;
  EmulatedPrefetch& operator+=(const EmulatedPrefetch& other);
};
TileInputs fetch_inputs(uint64_t address);  // IORegs 0 and 1
EmulatedPrefetch emulate_prefetcher(
    const LineTrace& trace,
    const Image& program,
    EmulatedPolicy policy = EmulatedPolicy::Entangling,
    size_t first_visit = 0);

// Replays line-visit traces, or RV32IM programs of at most `max_instructions`. Streams with fewer than 1,000
// misses and useful prefetches are shown and not judged. Each stream is replayed from five starts a few
// visits apart, and the results of the exact model and of the tile are summed before they are compared.
// Which lines of a full set remain depends on such small differences, in the exact model too.
finding::Diagnosis prefetch_case(
    const std::vector<std::string>& files,
    uint64_t max_instructions,
    const base::Progress& progress);

// Returns the number of wires from the block into the tile: bits that are 1 when every signal is.
int bits_in(const TileInputs& all_ones);

// GPU utilisation: counts of 256-cycle windows.
struct GpuWindows {
  GemmShape shape;
  // Cycles of the SM, and cycles that reached the tile's counters.
  uint64_t cycles = 0;
  uint64_t taken_cycles = 0;
  // Windows of the tile, and those that differ from the counts of the same cycles.
  uint64_t windows = 0;
  uint64_t wrong_windows = 0;
  uint64_t bins[8] = {};  // by which units are high: bit 0 SIMT, bit 1 tensor, bit 2 memory
  double mean_active[3] = {};
};
// Returns the inputs of gpu.c for a cycle: the lanes of two counters in IOReg 0, of one in IOReg 1.
TileInputs gpu_inputs(const SmSignals& signals);
GpuWindows
count_gpu_windows(const GemmShape& shape, const Image& program, uint64_t max_cycles, uint64_t seed);

finding::Diagnosis gpu_case(uint64_t max_cycles, uint64_t seed, const base::Progress& progress);

// Per-instruction cycle stacks: a tile samples an out-of-order core that runs a program.
struct PicsOptions {
  uint32_t period = 1000;         // tile cycles between records, on average
  double tile_clock = 1;          // tile cycles per core cycle
  uint64_t max_cycles = 1 << 30;  // of the core
};
struct PicsRun {
  uint64_t cycles = 0;
  uint64_t instructions = 0;
  uint64_t records = 0;
  uint64_t output_bytes = 0;
  std::optional<uint32_t> result;  // the word the program stored to tohost
  CycleStacks golden;              // every cycle
  CycleStacks tile;                // what the tile sent
  // Mean of |tile - golden| / golden over program counters with 1 % of the cycles or more.
  double error = 0;
  double dropped_share = 0;  // of the cycles, in program counters that the tile never sent
  bool same_order = false;   // of those with 1 % of the cycles and more; swaps within 2 % count as same
};
// Compares the tile's cycle stacks with those of the reference model. When `progress` stops the run, the
// stacks cover the cycles so far.
PicsRun run_pics(
    const riscv::ElfImage& program,
    const Image& image,
    const PicsOptions& options = {},
    const base::Progress& progress = {});
// Makes the inputs of pics.c of the core's signals: six program counters, then events, head and tail in
// IOReg 6. It remembers the last instruction that committed and whether it was mispredicted, because such a
// branch pays for the cycles in which the buffer is empty and the next instruction is not known.
class FlushMemory {
 public:
  TileInputs inputs(const CoreSignals& signals);  // call this in every cycle

 private:
  uint32_t last_ = 0;
  bool flushes_ = false;
};
// Returns the image of pics.c for a sampling period.
Image pics_image(uint32_t period);

struct PicsPaths {
  std::vector<std::string> programs;  // RV32IM ELF files that end by a store to tohost
  std::string folded;                 // folded stacks for flame graphs, when not empty
};
finding::Diagnosis
pics_case(const PicsPaths& paths, const PicsOptions& options, const base::Progress& progress);

// Value histograms: a tile beside a 256-bit bus that carries 16 bfloat16 of a tensor a cycle takes the first
// four of them (64 bits). The host pauses the tile at the end of each tensor, which sends the rest.
inline constexpr size_t kBusValues = 16;
inline constexpr size_t kTileValues = 4;

using Buckets = std::array<uint64_t, kBuckets>;
struct ValueHistogram {
  Buckets tile = {};   // as sent, windows added up
  Buckets exact = {};  // of every value
  // Values of the tensor, values in full beats, and values that the tile took.
  uint64_t values = 0;
  uint64_t offered = 0;
  uint64_t taken = 0;
  uint64_t windows = 0;
  uint64_t output_bytes = 0;
  uint64_t cycles = 0;
  bool as_taken = true;  // the tile's counts equal those of the very values that it took
  // Returns |tile / its sum - exact / its sum| over exact / its sum, as the mean over buckets that are not
  // empty. The mean is the paper's measure, in which almost empty buckets dominate. The second function
  // weights by the content of each bucket.
  double bucket_error() const;
  double weighted_error() const;
};

uint16_t bfloat16(float value);  // nearest, ties to even
class ValueTile {
 public:
  explicit ValueTile(const Image& program);
  ValueHistogram watch(std::span<const float> tensor);

 private:
  void step(const TileInputs* inputs, ValueHistogram& out, Buckets& expected);
  void unload(ValueHistogram& out, const Buckets& expected);

  Tile tile_;
  std::string received_;
};

struct ValuesOptions {
  struct Size {
    std::string part;  // of the model's file name
    int64_t height = 0;
    int64_t width = 0;
  };
  std::vector<std::string> models;  // ONNX files with weights
  std::vector<std::string> pages;   // text files
  std::vector<Size> sizes;          // of inputs that the model leaves open; the first match counts
  std::string histograms;           // CSV, one line per tensor, when not empty
  uint64_t max_tensors = 20'000;
};
finding::Diagnosis values_case(const ValuesOptions& options, const base::Progress& progress);

}  // namespace lento::tile
