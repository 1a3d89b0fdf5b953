// A tile beside the out-of-order core: the output of pics.c compared with the reference model.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "lab/tile/cases.h"
#include "tile/unit/build.h"
#include "tile/unit/tile.h"

namespace lento::tile {
namespace {

constexpr size_t kKept = 256;                       // cycles: longer than one run of main
constexpr uint64_t kStopEvery = uint64_t(1) << 16;  // cycles
constexpr double kLeastShare = 0.01;
constexpr double kSwap = 0.02;

double height(const CycleStacks& stacks, uint64_t parts) {
  return double(parts) / double(std::max<uint64_t>(stacks.total(), 1));
}

std::unordered_map<uint32_t, double> heights(const CycleStacks& stacks) {
  std::unordered_map<uint32_t, double> out;
  for (const CycleStacks::Bar& bar : stacks.bars())
    out[bar.pc] = height(stacks, bar.parts);
  return out;
}

// Returns the mean of |measured - reference| / reference over program counters with 1 % of the cycles or
// more.
double mean_error(const CycleStacks& golden, const CycleStacks& measured) {
  const auto seen = heights(measured);
  double sum = 0;
  int n = 0;
  for (const CycleStacks::Bar& bar : golden.bars()) {
    const double exact = height(golden, bar.parts);
    if (exact < kLeastShare)
      break;
    const auto at = seen.find(bar.pc);
    sum += std::abs((at == seen.end() ? 0 : at->second) - exact) / exact;
    ++n;
  }
  return n ? sum / n : 0;
}

bool same_order(const CycleStacks& golden, const CycleStacks& measured) {
  const auto exact = heights(golden);
  double least = 1;
  for (const CycleStacks::Bar& bar : measured.bars()) {
    const auto at = exact.find(bar.pc);
    const double own = at == exact.end() ? 0 : at->second;
    if (own < kLeastShare)
      continue;
    if (own > least + kSwap)
      return false;
    least = std::min(least, own);
  }
  return true;
}

double missing_share(const CycleStacks& golden, const CycleStacks& measured) {
  const auto seen = heights(measured);
  double share = 0;
  for (const CycleStacks::Bar& bar : golden.bars())
    if (!seen.contains(bar.pc))
      share += height(golden, bar.parts);
  return share;
}

// The tile, and the records that it sent.
class Sampler {
 public:
  Sampler(const Image& image, PicsRun& run)
      : run_(run) {
    tile_.config_image(image);
    tile_.resume();
    while (tile_.status() != Status::ActivePaused)
      tile_.step(nullptr);
  }

  void step(const TileInputs* in) {
    tile_.step(in);
    sent_ += tile_.drain(4);
    for (; sent_.size() >= 6; sent_.erase(0, 6)) {
      uint32_t pc;
      uint16_t events;
      std::memcpy(&pc, sent_.data(), 4);
      std::memcpy(&events, sent_.data() + 4, 2);
      run_.tile.add(pc, events, 1);
      ++run_.records;
    }
  }
  uint64_t output_bytes() const {
    return tile_.counters().output_bytes;
  }

 private:
  PicsRun& run_;
  Tile tile_;
  std::string sent_;
};

}  // namespace

TileInputs FlushMemory::inputs(const CoreSignals& s) {
  TileInputs in;
  for (uint32_t i = 0; i < s.commits; ++i)
    in.data[i] = s.committed[i];
  if (s.commits > 0) {
    last_ = s.committed[s.commits - 1];
    flushes_ = (s.events & kMispredicted) != 0;
  }
  const bool empty = s.commits == 0 && !s.has_oldest;
  const bool flushed = empty && s.front == 0 && flushes_;
  in.data[4] = s.oldest;
  in.data[5] = flushed ? last_ : s.front;
  in.data[6] =
      (flushed ? uint32_t{kMispredicted} : s.events) | uint32_t(s.head) << 9 | uint32_t(s.tail) << 16;
  in.valid = empty ? 32 : s.commits == 0 ? 16 : (1u << s.commits) - 1;
  in.valid |= 64;
  return in;
}

Image pics_image(uint32_t period) {
  return build_program(
             shipped_source("pics.c"),
             "pics.c",
             {"riscv64-unknown-elf-gcc", {"-O2", "-DPERIOD=" + std::to_string(period)}})
      .image;
}

PicsRun run_pics(
    const riscv::ElfImage& program,
    const Image& image,
    const PicsOptions& options,
    const base::Progress& progress) {
  PicsRun run;
  CoreModel core(program);
  Sampler sampler(image, run);
  CoreSignals signals;
  FlushMemory flush;
  double due = 0;
  for (uint64_t steps = 1; core.step(signals) && core.cycle() < options.max_cycles; ++steps) {
    if (steps % kStopEvery == 0 && progress.stopped())
      break;
    const TileInputs in = flush.inputs(signals);
    due += options.tile_clock;
    if (due < 1)
      continue;
    sampler.step(&in);
    for (due -= 1; due >= 1; due -= 1)
      sampler.step(nullptr);
  }
  for (size_t i = 0; i < kKept; ++i)
    sampler.step(nullptr);
  run.cycles = core.cycle();
  run.instructions = core.instructions();
  run.result = core.result();
  run.output_bytes = sampler.output_bytes();
  run.golden = core.stacks();
  run.error = mean_error(run.golden, run.tile);
  run.dropped_share = missing_share(run.golden, run.tile);
  run.same_order = same_order(run.golden, run.tile);
  return run;
}

}  // namespace lento::tile
