// A grammar makes programs; those that the verifier accepts are run and must keep every promise of the
// report: no fault, cycles, output bytes, inputs streamed and lost, nothing to soft logic that is not there,
// no dependence on registers that were not set. LENTO_TILE_GRAMMAR=N runs N programs (default 10,000).
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "tile/unit/test_functional.h"
#include "tile/unit/test_grammar.h"
#include "tile/unit/verify/verify.h"

namespace lento::tile {
namespace {

struct Registers : SoftLogic {
  void step(const TileInputs*) override {
  }
  uint32_t read(unsigned reg) override {
    return 0x1234567 * reg;
  }
  void write(unsigned, uint32_t) override {
    ++writes;
  }
  uint64_t writes = 0;
};

// A tile with an accepted image; inputs come every `period` cycles, sometimes later.
class Trial {
 public:
  Trial(const Image& image, const VerifyReport& report, uint64_t seed, uint64_t period)
      : image_(image),
        report_(report),
        rng_(seed, "tile.verify.grammar.run", period),
        period_(period) {
    tile_.memory().soft = &soft_;
    tile_.config_image(image);
    tile_.resume();
    for (uint64_t n = 0; n < report.init.worst_cycles + 4; ++n)
      step(nullptr);
    EXPECT_EQ(tile_.status(), Status::ActivePaused) << fault();
  }

  void run_main() {
    const TileCounters before = tile_.counters();
    const uint64_t most = report_.main.worst_cycles + (report_.main.streamed + 2) * (2 * period_ + 2);
    uint64_t cycles = 0;
    while (tile_.status() == Status::ActivePaused && cycles++ <= 2 * period_)
      feed();
    const TileCounters start = tile_.counters();
    for (cycles = 0; cycles < most && tile_.status() == Status::ActiveRunning; ++cycles)
      feed();
    ASSERT_EQ(tile_.status(), Status::ActivePaused) << fault();
    const TileCounters& now = tile_.counters();
    const uint64_t took = now.cycles - start.cycles;
    const uint64_t waited = now.starved_cycles - start.starved_cycles;
    ASSERT_LE(took - waited, report_.main.worst_cycles);
    ASSERT_GE(took, report_.main.best_cycles);
    ASSERT_LE(now.output_bytes - before.output_bytes, report_.main.worst_bytes);
    bytes_ += now.output_bytes - before.output_bytes;
    ++runs_;
    ASSERT_LE(double(bytes_), report_.main.bytes_per_run * double(runs_) + report_.main.burst + 1e-6);
    const uint64_t streamed = now.streamed - before.streamed;
    ASSERT_LE(streamed, report_.main.streamed);
    ASSERT_GE(streamed, report_.main.streamed_least);
    taken_ += std::max<uint64_t>(streamed, 1);
    const double share = period_ >= report_.main.lossless_period ? 0 : report_.predicted_drop_share;
    if (share < 1) {
      const double once = share > 0 ? report_.drop_burst : 0;
      ASSERT_LE(double(now.total_dropped()), (share * double(taken_) + once) / (1 - share) + 1e-6);
    }
  }

  void finish() {
    const uint64_t before = tile_.counters().output_bytes;
    tile_.finalize();
    for (uint64_t n = 0; n < report_.finish.worst_cycles + 4; ++n)
      step(nullptr);
    ASSERT_EQ(tile_.status(), Status::Paused) << fault();
    ASSERT_TRUE(tile_.idle());
    ASSERT_LE(tile_.counters().output_bytes - before, report_.finish.worst_bytes);
    if (image_.soft_logic.empty()) {
      ASSERT_EQ(soft_.writes, 0u);
    }
  }

 private:
  void step(const TileInputs* inputs) {
    tile_.step(inputs);
    tile_.drain(4);
  }

  void feed() {
    if (to_next_-- > 0)
      return step(nullptr);
    to_next_ = int64_t(period_) - 1 + (rng_.below(8) == 0 ? int64_t(rng_.below(period_)) : 0);
    TileInputs in;
    in.valid = 3;
    for (uint32_t& word : in.data)
      word = uint32_t(rng_.next()) >> rng_.below(32);
    step(&in);
  }

  std::string fault() const {
    return std::string(fault_name(tile_.fault().cause)) + " at pc " + std::to_string(tile_.fault().pc);
  }

  const Image& image_;
  const VerifyReport& report_;
  base::Rng rng_;
  uint64_t period_;
  uint64_t taken_ = 0;
  uint64_t bytes_ = 0;
  uint64_t runs_ = 0;
  int64_t to_next_ = 0;
  Registers soft_;
  Tile tile_;
};

// Two runs of main and a finish, before each of which the registers that nobody set hold `junk`. Each ends
// within the cycles promised, and an instruction takes one at least.
std::string output_with(const Image& image, const VerifyReport& report, uint32_t junk) {
  FunctionalTile tile(image);
  TileInputs in;
  in.valid = 3;
  const auto next = [&]() -> const TileInputs* {
    for (uint32_t& word : in.data)
      word = word * 1664525 + 1013904223;
    return &in;
  };
  const auto spoil = [&] {
    for (unsigned r = 3; r < 32; ++r)
      tile.registers()[r] = junk * r;
  };
  EXPECT_TRUE(tile.init(report.init.worst_cycles).ended);
  for (int n = 0; n < 2; ++n) {
    spoil();
    EXPECT_TRUE(tile.main(*next(), report.main.worst_cycles, next).ended);
  }
  spoil();
  EXPECT_TRUE(tile.finish(report.finish.worst_cycles).ended);
  return tile.take_output();
}

uint64_t grammar_runs() {
  const char* wish = std::getenv("LENTO_TILE_GRAMMAR");
  return wish ? std::strtoull(wish, nullptr, 10) : 10000;
}

// Where seeds begin: a campaign goes on where an earlier one ended (LENTO_TILE_SEED).
uint64_t first_seed() {
  const char* wish = std::getenv("LENTO_TILE_SEED");
  return wish ? std::strtoull(wish, nullptr, 10) : 0;
}

void keeps_promises(const Image& image, const VerifyReport& report, uint64_t seed, uint64_t& skipped) {
  for (const uint64_t period : {uint64_t{image.arrival_cycles}, report.main.lossless_period}) {
    if (report.main.worst_cycles + report.main.streamed * period > 200'000) {
      ++skipped;
      continue;
    }
    Trial trial(image, report, seed, period);
    for (int n = 0; n < 6; ++n)
      ASSERT_NO_FATAL_FAILURE(trial.run_main()) << "period " << period;
    ASSERT_NO_FATAL_FAILURE(trial.finish());
  }
  ASSERT_EQ(output_with(image, report, 0), output_with(image, report, 0x9e3779b1));
}

TEST(Grammar, AcceptedProgramsKeepEveryPromiseWhenRun) {
  const uint64_t wanted = grammar_runs();
  uint64_t accepted = 0, made = 0, skipped = 0, streaming = 0, soft = 0;
  const uint64_t first = first_seed();
  for (uint64_t seed = first; accepted < wanted && seed < first + 4 * wanted; ++seed) {
    const Image image = test::Grammar(seed).make();
    const VerifyReport report = verify(image);
    ++made;
    if (!report.accepted)
      continue;
    ++accepted;
    streaming += report.main.streamed > 0, soft += !image.soft_logic.empty();
    ASSERT_NO_FATAL_FAILURE(keeps_promises(image, report, seed, skipped)) << "seed " << seed;
  }
  EXPECT_EQ(accepted, wanted) << "of " << made;
  RecordProperty("made", std::to_string(made));
  EXPECT_GT(accepted * 10, made * 9) << "the verifier refuses too many programs that keep the rules";
  EXPECT_LT(accepted, made) << "the grammar breaks no rule";
  EXPECT_GT(streaming * 20, accepted);
  EXPECT_GT(soft * 10, accepted);
  EXPECT_LT(skipped * 50, accepted);
}

// The code around a word, for a failure's message.
std::string dump(const Image& image, size_t at) {
  std::string out;
  const std::vector<TileOp> code = decode_code(image.code);
  for (size_t i = at / 4 < 12 ? 0 : at / 4 - 12; i < std::min(code.size(), at / 4 + 12); ++i)
    out += std::to_string(4 * i) + ": " + disassemble(code[i], uint32_t(4 * i)) + "\n";
  return out;
}

// One instruction of an accepted program changed, one bit or as a whole: what is still accepted keeps its
// promises. LENTO_TILE_MUTATIONS=N tries N mutations (default 4,000).
TEST(Grammar, AcceptedMutationsKeepEveryPromise) {
  const char* wish = std::getenv("LENTO_TILE_MUTATIONS");
  const uint64_t wanted = wish ? std::strtoull(wish, nullptr, 10) : 4000;
  uint64_t tried = 0, accepted = 0, skipped = 0;
  for (uint64_t seed = first_seed(); tried < wanted; ++seed) {
    const Image good = test::Grammar(seed).make();
    if (!verify(good).accepted)
      continue;
    base::Rng rng(seed, "tile.verify.mutations");
    for (int n = 0; n < 20 && tried < wanted; ++n, ++tried) {
      Image image = good;
      size_t at = 0;
      uint32_t word = 0;
      while (word == 0) {
        at = 4 * rng.below(image.code.size() / 4);
        std::memcpy(&word, image.code.data() + at, 4);
      }
      word = rng.below(4) ? word ^ 1u << rng.below(32) : uint32_t(rng.next());
      std::memcpy(image.code.data() + at, &word, 4);
      const VerifyReport report = verify(image);
      if (!report.accepted)
        continue;
      ++accepted;
      ASSERT_NO_FATAL_FAILURE(keeps_promises(image, report, seed, skipped))
          << "seed " << seed << " word " << at << "\n"
          << write_report(report) << dump(image, at);
    }
  }
  EXPECT_GT(accepted * 20, tried);
  RecordProperty("accepted", std::to_string(accepted));
}

// A declared rate that is just enough is accepted, one less is not.
TEST(Grammar, DeclaredRatesAreJudgedToTheByte) {
  int judged = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Image image = test::Grammar(seed).make();
    const VerifyReport report = verify(image);
    if (!report.accepted || report.main.worst_bytes == 0 || report.main.worst_cycles >= UINT32_MAX)
      continue;
    image.arrival_cycles = uint32_t(report.main.lossless_period);
    image.drops_declared = false;
    image.output_bytes = uint32_t(report.main.worst_bytes);
    image.output_cycles = uint32_t(std::max(report.main.best_cycles + 1, report.main.lossless_period));
    ASSERT_TRUE(verify(image).accepted) << seed << write_report(verify(image));
    --image.output_bytes;
    ASSERT_FALSE(verify(image).accepted) << seed;
    ++image.output_bytes, --image.arrival_cycles, image.output_cycles = 1;
    image.output_bytes = UINT32_MAX;
    ASSERT_FALSE(verify(image).accepted) << seed;
    ++judged;
  }
  EXPECT_GT(judged, 500);
}

}  // namespace
}  // namespace lento::tile
