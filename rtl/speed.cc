// Measures the speed of the tile: its C++ model, its RTL, and both in lock-step, in CPU time, always inside
// a running main.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

#include "lockstep.h"
#include "riscv/instruction.h"
#include "tile/unit/test_encode.h"

namespace {

using namespace lento;
using namespace lento::tile;
using riscv::Op;

// main never returns: loads, arithmetic, a store, the hash and the histogram unit in a hardware loop, output.
Image busy_image() {
  std::vector<uint32_t> words = {
      riscv::encode({Op::Jalr, 0, 1, 0, 0}),
      riscv::encode({Op::Lui, 8, 0, 0, 0x8000}),
      riscv::encode({Op::Lui, 9, 0, 0, 0x7000}),
      encode_loop_immediate(200, 0, 7),
      riscv::encode({Op::Lw, 5, 8, 0, 16}),
      riscv::encode({Op::Addi, 6, 6, 0, 3}),
      riscv::encode({Op::Xor, 5, 5, 6, 0}),
      encode_hash(7, 5, 6),
      encode_hist(5, 7),
      riscv::encode({Op::Sw, 0, 8, 7, 16}),
      riscv::encode({Op::Sltu, 10, 5, 7, 0}),
      riscv::encode({Op::Sw, 0, 9, 7, 0}),
      riscv::encode({Op::Jal, 0, 0, 0, -36})};
  Image image;
  image.main_entry = 4;
  image.input_mask = 1;
  image.code.assign(reinterpret_cast<const char*>(words.data()), 4 * words.size());
  return image;
}

// Million cycles per second of CPU time, the best of five.
double best_rate(uint64_t cycles, const std::function<void()>& one) {
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    const std::clock_t begin = std::clock();
    for (uint64_t n = 0; n < cycles; ++n)
      one();
    best = std::max(best, double(cycles) / 1e6 / (double(std::clock() - begin) / CLOCKS_PER_SEC));
  }
  return best;
}

}  // namespace

int main() {
  Lockstep pair;
  pair.load(busy_image());
  pair.step({nullptr, Command::Resume});
  TileInputs inputs;
  inputs.valid = 1;
  for (int n = 0; n < 20; ++n)
    pair.step({&inputs, Command::None, 0, 4});
  const uint64_t before = pair.model().counters().instructions;
  const uint64_t began = pair.compared();
  const double together = best_rate(1'000'000, [&] {
    pair.step({&inputs, Command::None, 0, 4});
  });
  const double busy = double(pair.model().counters().instructions - before) / double(pair.compared() - began);
  const double model = best_rate(10'000'000, [&] {
    pair.model().step(&inputs);
    pair.model().drain(4);
  });
  RtlTile rtl;
  rtl.load(busy_image());
  for (const Command command :
       {Command::Image, Command::None, Command::None, Command::None, Command::None, Command::Resume}) {
    rtl.settle({nullptr, command}, {});
    rtl.clock();
  }
  const double alone = best_rate(3'000'000, [&] {
    rtl.settle({&inputs, Command::None, 0, 4}, {});
    rtl.clock();
  });
  std::printf(
      "C++ model %.1f M cycles/s, RTL alone %.2f M cycles/s, in lock-step %.2f M cycles/s (CPU time, best of "
      "5), %.2f instructions a "
      "cycle, %s\n",
      model,
      alone,
      together,
      busy,
      pair.same() ? "equal in every cycle" : pair.difference().c_str());
  return pair.same() && rtl.status() == Status::ActiveRunning ? 0 : 1;
}
