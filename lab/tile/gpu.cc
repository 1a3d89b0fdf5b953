// Windows of 256 cycles counted by the two-instruction program, checked against the very cycles it took.
#include <algorithm>
#include <bit>

#include "base/units.h"
#include "lab/tile/cases.h"
#include "tile/unit/build.h"
#include "tile/unit/tile.h"

namespace lento::tile {
namespace {

// High: more than 25 % of the window.
constexpr uint32_t kWindow = 256;
constexpr uint32_t kHigh = 64;

std::string share_of(uint64_t part, uint64_t whole) {
  return base::percent(whole ? double(part) / double(whole) : 0);
}

}  // namespace

TileInputs gpu_inputs(const SmSignals& s) {
  TileInputs in;
  in.valid = 3;
  in.data[0] = uint32_t{s.simt} | uint32_t{s.tensor} << 16;
  in.data[1] = s.memory;
  return in;
}

int bits_in(const TileInputs& all_ones) {
  int bits = 0;
  for (const uint32_t word : all_ones.data)
    bits += std::popcount(word);
  return bits;
}

GpuWindows
count_gpu_windows(const GemmShape& shape, const Image& program, uint64_t max_cycles, uint64_t seed) {
  GpuWindows out;
  out.shape = shape;
  SmModel sm(shape, seed);
  Tile tile;
  tile.config_image(program);
  tile.resume();
  while (tile.status() != Status::ActivePaused)
    tile.step(nullptr);
  std::string received;
  std::vector<std::array<uint8_t, 3>> expected;
  uint32_t counts[3] = {};
  uint32_t in_window = 0;
  SmSignals now;
  for (bool more = true; more && sm.cycle() < max_cycles;) {
    more = sm.step(now);
    const TileInputs in = gpu_inputs(now);
    const uint64_t before = tile.counters().streamed;
    const uint32_t held0 = tile.memory().io[0];
    const uint32_t held1 = tile.memory().io[1];
    tile.step(&in);
    received += tile.drain(4);
    if (tile.counters().streamed == before)
      continue;
    ++out.taken_cycles;
    counts[0] += held0 & 1;
    counts[1] += held0 >> 16;
    counts[2] += held1;
    if (++in_window < kWindow)
      continue;
    expected.push_back(
        {uint8_t(std::min(counts[0], 255u)),
         uint8_t(std::min(counts[1], 255u)),
         uint8_t(std::min(counts[2], 255u))});
    in_window = counts[0] = counts[1] = counts[2] = 0;
  }
  out.cycles = sm.cycle();
  for (; out.windows < expected.size() && received.size() >= 3 * (out.windows + 1); ++out.windows) {
    uint32_t bin = 0;
    bool same = true;
    for (size_t i = 0; i < 3; ++i) {
      const auto value = uint8_t(received[3 * out.windows + i]);
      same &= value == expected[out.windows][i];
      bin |= uint32_t{value > kHigh} << i;
      out.mean_active[i] += value;
    }
    out.wrong_windows += !same;
    ++out.bins[bin];
  }
  for (double& mean : out.mean_active)
    mean /= double(std::max<uint64_t>(out.windows, 1)) * kWindow;
  return out;
}

finding::Diagnosis gpu_case(uint64_t max_cycles, uint64_t seed, const base::Progress& progress) {
  finding::Diagnosis d;
  d.scale = "tile";
  d.title = "GPU utilisation, cycle by cycle";
  d.seed = seed;
  const Built built = build_program(shipped_source("gpu.c"), "gpu.c");
  const Image& program = built.image;
  finding::TableFigure table;
  table.columns = {
      "GEMM",
      "cycles",
      "windows",
      "SIMT",
      "tensor",
      "memory",
      "none high",
      "one high",
      "several high",
      "lost cycles"};
  uint64_t windows = 0;
  uint64_t wrong = 0;
  uint64_t taken = 0;
  uint64_t cycles = 0;
  uint64_t one = 0;
  uint64_t several = 0;
  const std::vector<GemmShape> shapes = gemm_shapes();
  for (size_t i = 0; i < shapes.size() && !progress.stopped(); ++i) {
    const GpuWindows w = count_gpu_windows(shapes[i], program, max_cycles, seed);
    const uint64_t single = w.bins[1] + w.bins[2] + w.bins[4];
    const uint64_t many = w.windows - single - w.bins[0];
    const auto share = [](double x) {
      return base::format_number(100 * x, 3) + " %";
    };
    table.rows.push_back(
        {shapes[i].name(),
         std::to_string(w.cycles),
         std::to_string(w.windows),
         share(w.mean_active[0]),
         share(w.mean_active[1]),
         share(w.mean_active[2]),
         share_of(w.bins[0], w.windows),
         share_of(single, w.windows),
         share_of(many, w.windows),
         share_of(w.cycles - w.taken_cycles, w.cycles)});
    windows += w.windows;
    wrong += w.wrong_windows;
    taken += w.taken_cycles;
    cycles += w.cycles;
    one += single;
    several += many;
    progress("shapes", double(i + 1), double(shapes.size()));
  }
  d.facts = {
      {"windows", std::to_string(windows)},
      {"windows that differ from the trace", std::to_string(wrong)},
      {"lost cycles", share_of(cycles - taken, cycles)},
      {"windows with one unit high", share_of(one, windows)},
      {"windows with several units high", share_of(several, windows)},
      {"bits into the tile", std::to_string(bits_in(gpu_inputs({true, true, true})))},
      {"bytes out per window", std::to_string(program.output_bytes)},
      {"lines of the program", std::to_string(built.main_lines)},
      {"output of one SM at 1.4 GHz", "16.4 MB/s"},
      {"output of 108 SMs", "1.77 GB/s"}};
  d.verdict = share_of(one, windows) + " of the windows have exactly one unit busy: the units take turns.";
  d.notes = {
      "The signals come from a model of one streaming multiprocessor, not from a GPU.",
      "Each GEMM runs for at most " + std::to_string(max_cycles) + " cycles of its SM."};
  d.figures.push_back(
      {"Windows by which units are high", "High: active in more than a quarter of 256 cycles.", table});
  return d;
}

}  // namespace lento::tile
