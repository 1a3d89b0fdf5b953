// Output over many runs: random programs around one or two cells of the scratchpad, with tests and stores in
// any place, never put out more than the rate that is proved for them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

#include "base/rng.h"
#include "base/units.h"
#include "tile/unit/test_encode.h"
#include "tile/unit/test_words.h"
#include "tile/unit/tile.h"
#include "tile/unit/verify/verify.h"

namespace lento::tile {
namespace {

using namespace test;

// Makes programs that look like counters, periods and windows of time, most of which are not. x5 holds the
// scratchpad, x6 a word of it, x7 the arrival, x8 and x9 what is compared.
class Amortised {
 public:
  explicit Amortised(uint64_t seed)
      : rng_(seed, "tile.verify.amortise") {
  }

  Image make() {
    clears_ = rng_.below(3) == 0;
    words_ = {lui(5, 0x8000), lui(10, 0x6000), imm(Op::Lw, 7, 10, 0x2c)};
    const int steps = 1 + int(rng_.below(3));
    for (int i = 0; i < steps; ++i)
      step();
    words_.push_back(kRet);
    Image image = image_of(words_, 3, {kRet});
    image.drops_declared = true;
    image.arrival_cycles = 64;
    image.output_bytes = 1 << 20;
    return image;
  }

 private:
  void load() {
    words_.push_back(imm(size_ == 4 ? Op::Lw : size_ == 2 ? Op::Lhu : Op::Lbu, 6, 5, word_));
  }

  void save_cell(Words& out, unsigned from) const {
    out.push_back(save(size_ == 4 ? Op::Sw : size_ == 2 ? Op::Sh : Op::Sb, from, 5, word_));
  }

  // Puts a form of the arrival time into x`to`: shifted right, or with its low bits cleared.
  void window(Words& out, unsigned to) const {
    out.push_back(imm(Op::Srli, to, 7, shift_));
    if (clears_)
      out.push_back(imm(Op::Slli, to, to, shift_));
  }

  void store(Words& out) {
    switch (rng_.below(10)) {
      case 0:
        return save_cell(out, 0);
      case 1:
      case 2:
        return save_cell(out, 7);
      case 3:
        window(out, 9);
        return save_cell(out, 9);
      case 4:
        out.push_back(imm(Op::Addi, 6, 6, int(rng_.below(4)) - 1));
        return save_cell(out, 6);
      case 5:
        out.push_back(imm(Op::Addi, 9, 7, 300));
        return save_cell(out, 9);
      case 6:
        out.push_back(imm(Op::Addi, 6, 6, 1));
        out.push_back(imm(Op::Andi, 6, 6, rng_.below(2) ? 7 : 255));
        return save_cell(out, 6);
      default:
        out.push_back(imm(Op::Addi, 6, 6, 1));
        return save_cell(out, 6);
    }
  }

  // Computes a condition and returns the branch that skips `length` bytes.
  uint32_t test(int length) {
    const auto skip = 4 + length;
    switch (rng_.below(6)) {
      case 5:
        words_.push_back(op3(Op::Sub, 8, 7, 6));
        return branch(rng_.below(4) ? Op::Blt : Op::Bge, 8, 0, skip);
      case 0:
        window(words_, 8);
        return branch(rng_.below(4) ? Op::Beq : Op::Bne, 8, 6, skip);
      case 1:
      case 2:
        words_.push_back(op3(Op::Sub, 8, 7, 6));
        words_.push_back(imm(Op::Addi, 9, 0, 100 * int(1 + rng_.below(5))));
        return branch(rng_.below(4) ? Op::Bltu : Op::Bgeu, 8, 9, skip);
      case 3:
        words_.push_back(imm(Op::Addi, 9, 0, int(1 + rng_.below(9))));
        return branch(Op::Bne, 6, 9, skip);
      default:
        if (rng_.below(2)) {
          words_.push_back(imm(Op::Andi, 8, 6, 7));
        } else {
          words_.push_back(imm(Op::Slli, 8, 6, 29));
        }
        words_.push_back(imm(Op::Addi, 9, 0, int(rng_.below(3)) / 2));
        return branch(rng_.below(5) ? Op::Bne : Op::Beq, 8, 9, skip);
    }
  }

  void step() {
    size_ = 4 >> (rng_.below(2) * rng_.below(3));
    word_ =
        int(rng_.below(4) ? 0 : 4) + size_ * int(rng_.below(4) == 0 ? rng_.below(uint64_t(4 / size_)) : 0);
    shift_ = int(6 + rng_.below(4));
    load();
    if (rng_.below(2))
      store(words_);
    if (rng_.below(8) == 0)
      load();
    Words inside;
    if (rng_.below(8))
      inside.push_back(encode_emit(8));
    if (rng_.below(6) == 0)
      word_ ^= 4;
    if (rng_.below(3))
      store(inside);
    const uint32_t skip = test(4 * int(inside.size()));
    words_.push_back(skip);
    words_.insert(words_.end(), inside.begin(), inside.end());
    if (rng_.below(8) == 0)
      store(words_);
  }

  base::Rng rng_;
  Words words_;
  int word_ = 0;
  int size_ = 4;
  bool clears_ = false;
  int shift_ = 6;
};

// Runs main `runs` times with inputs at the declared distance and sometimes later, and returns whether the
// output ever exceeds what is proved.
bool exceeds(const Image& image, const VerifyReport& report, uint64_t seed, int runs) {
  const RegionReport& m = report.main;
  base::Rng rng(seed, "tile.verify.amortise.run");
  Tile tile;
  tile.config_image(image);
  tile.resume();
  for (int i = 0; i < 20; ++i)
    tile.step(nullptr);
  const uint64_t began = tile.counters().cycles;
  for (int run = 1; run <= runs; ++run) {
    TileInputs in;
    in.valid = 3;
    tile.step(&in);
    const uint64_t gap = image.arrival_cycles + (rng.below(4) == 0 ? rng.below(300) : 0);
    for (uint64_t i = 1; i < gap; ++i) {
      tile.step(nullptr);
      tile.drain(4);
    }
    const auto bytes = double(tile.counters().output_bytes);
    const auto elapsed = double(tile.counters().cycles - began);
    if (bytes > m.bytes_per_run * run + m.window_bytes * elapsed / double(m.window_cycles) + m.burst + 1e-6)
      return true;
  }
  return false;
}

uint64_t first_seed() {
  const char* wish = std::getenv("LENTO_TILE_SEED");
  return wish ? std::strtoull(wish, nullptr, 10) : 0;
}

std::string dump(const Image& image) {
  std::string out;
  uint32_t pc = 0;
  for (const TileOp& op : decode_code(image.code.substr(0, 160))) {
    if (op.word != 0)
      out += base::hex(pc) + ": " + disassemble(op, pc) + "\n";
    pc += 4;
  }
  return out;
}

TEST(Amortise, NoProgramExceedsWhatIsProved) {
  const char* wish = std::getenv("LENTO_TILE_AMORTISE");
  const uint64_t wanted = wish ? std::strtoull(wish, nullptr, 10) : 2000;
  uint64_t by_run = 0;
  uint64_t by_time = 0;
  for (uint64_t seed = first_seed(); seed < first_seed() + wanted; ++seed) {
    const Image image = Amortised(seed).make();
    const VerifyReport report = verify(image);
    ASSERT_TRUE(report.accepted) << seed << write_report(report);
    const RegionReport& m = report.main;
    const bool runs_bound = m.bytes_per_run > 0 && m.bytes_per_run < double(m.worst_bytes);
    by_run += runs_bound;
    by_time += m.window_bytes > 0;
    if (runs_bound || m.window_bytes > 0) {
      ASSERT_FALSE(exceeds(image, report, seed, 200))
          << seed << "\n"
          << write_report(report) << dump(image) << m.bytes_per_run << " " << m.burst;
    }
  }
  EXPECT_GT(by_run * 80, wanted);
  EXPECT_GT(by_time * 100, wanted);
}

// Runs main on inputs at the declared distance and returns how many were dropped and taken.
std::pair<uint64_t, uint64_t> dropped_and_taken(const Image& image, int inputs) {
  Tile tile;
  tile.config_image(image);
  tile.resume();
  for (int i = 0; i < 20; ++i)
    tile.step(nullptr);
  for (int k = 0; k < inputs; ++k) {
    TileInputs in;
    in.valid = 3;
    tile.step(&in);
    for (uint64_t i = 1; i < image.arrival_cycles; ++i) {
      tile.step(nullptr);
      tile.drain(4);
    }
  }
  const uint64_t dropped = tile.counters().total_dropped();
  return {dropped, uint64_t(inputs) - dropped};
}

TEST(Amortise, NoProgramDropsMoreThanIsProved) {
  uint64_t by_run = 0;
  uint64_t by_time = 0;
  for (uint64_t seed = first_seed(); seed < first_seed() + 2000; ++seed) {
    Image image = Amortised(seed).make();
    image.arrival_cycles = uint32_t(5 + seed % 17);
    const VerifyReport report = verify(image);
    ASSERT_TRUE(report.accepted) << seed << write_report(report);
    const LongRuns& long_runs = report.main.long_runs;
    by_run += long_runs.every_runs > 1;
    by_time += long_runs.every_cycles > 0;
    const auto [dropped, taken] = dropped_and_taken(image, 400);
    const double share = report.predicted_drop_share;
    ASSERT_LE(double(dropped), (share * double(taken) + report.drop_burst) / (1 - share) + 1e-6)
        << seed << "\n"
        << write_report(report) << dump(image);
  }
  EXPECT_GT(by_run, 30u);
  EXPECT_GT(by_time, 0u);
}

}  // namespace
}  // namespace lento::tile
