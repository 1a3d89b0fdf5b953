// Draws C programs, verifies and runs them. A program whose trigger is a value has long runs at any input, so
// its inputs ask for the summary at random: there the proof is a bound and no expectation is promised.
#include "lab/tile/audit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "base/rng.h"
#include "tile/unit/build.h"
#include "tile/unit/tile.h"
#include "tile/unit/verify/drops.h"
#include "tile/unit/verify/verify.h"

namespace lento::lab {
namespace {

using tile::Image;
using tile::Tile;
using tile::TileInputs;
using tile::VerifyReport;

enum class Trigger : uint8_t {
  Count,
  LowBits,
  Window,
  Elapsed,
  Value
};
constexpr int kTriggers = 5;

Trigger trigger_of(uint64_t seed) {
  return static_cast<Trigger>(base::Rng(seed, "tile.audit.trigger").below(kTriggers));
}

std::string number(uint64_t n) {
  return std::to_string(n);
}

// Returns the statements that take an input `a` into bins.
std::string taking(base::Rng& rng, const std::string& bins) {
  const std::string of_bits = "bins[(a >> " + number(rng.below(20)) + ") & " + bins + " - 1]";
  switch (rng.below(3)) {
    case 0:
      return "  ++" + of_bits + ";\n";
    case 1:
      return "  uint32_t* bin = &" + of_bits + ";\n  if (a > *bin) *bin = a;\n";
    default:
      return "  uint32_t ones = 0;\n  for (uint32_t i = 0; i < 8; ++i) ones += a >> i & 1;\n  bins[ones] += "
             "a;\n";
  }
}

std::string condition(Trigger trigger, base::Rng& rng) {
  switch (trigger) {
    case Trigger::Count:
      return "++n == " + number(8 + rng.below(200)) + " && !(n = 0)";
    case Trigger::LowBits:
      return "(++n & " + number((8u << rng.below(5)) - 1) + ") == 0";
    case Trigger::Window:
      return "(now = ypu_arrival >> " + number(9 + rng.below(4)) + ") != last && ((last = now), 1)";
    case Trigger::Elapsed:
      return "ypu_arrival - last >= " + number(500 + rng.below(4000)) + " && ((last = ypu_arrival), 1)";
    case Trigger::Value:
      break;
  }
  return "a % 16 == 3";
}

// One program, verified and run.
class Trial {
 public:
  Trial(uint64_t seed, base::Rng& rng)
      : trigger_(trigger_of(seed)) {
    const auto build = [&](uint32_t arrival) {
      return tile::build_program(drawn_tile_program(seed, arrival), "drawn.c").image;
    };
    image_ = build(1);
    report_ = tile::verify(image_);
    if (!report_.accepted)
      return;
    const uint64_t least = std::max<uint64_t>(report_.main.long_runs.short_cycles, 2);
    const uint64_t most = std::max(report_.main.worst_cycles, least + 1);
    const double drawn = double(least) * std::pow(double(most) / double(least), rng.uniform());
    image_ = build(uint32_t(drawn) + 2);
    report_ = tile::verify(image_);
  }

  bool accepted() const {
    return report_.accepted;
  }
  bool is_regular() const {
    return trigger_ != Trigger::Value;
  }

  struct Seen {
    uint64_t dropped = 0;
    uint64_t inputs = 0;
    bool is_too_long = false;
    bool is_too_much = false;  // output
  };

  // Feeds inputs at the declared distance while `queue` of them may wait.
  Seen run(uint32_t queue, base::Rng& rng) const {
    constexpr uint64_t kInputs = 4000;
    Tile tile({.fifo_bytes = 64, .input_queue = queue});
    tile.config_image(image_);
    tile.resume();
    for (uint64_t n = 0; n < report_.init.worst_cycles + 4; ++n)
      tile.step(nullptr);
    Seen out;
    uint64_t runs = 0;
    uint64_t cycles = 0;  // of the present run
    const auto step = [&](const TileInputs* in) {
      const bool was_running = tile.status() == tile::Status::ActiveRunning;
      tile.step(in);
      tile.drain(4);
      cycles = was_running ? cycles + 1 : 0;
      runs += was_running && tile.status() != tile::Status::ActiveRunning;
      out.is_too_long |= queue == 0 && cycles > report_.main.worst_cycles;
    };
    for (uint64_t k = 0; k < kInputs; ++k) {
      TileInputs in;
      in.valid = 3;
      for (uint32_t& word : in.data)
        word = uint32_t(rng.next());
      step(&in);
      for (uint64_t n = 1; n < image_.arrival_cycles; ++n)
        step(nullptr);
    }
    out.inputs = kInputs;
    out.dropped = tile.counters().total_dropped();
    const tile::RegionReport& m = report_.main;
    const double proved =
        m.bytes_per_run * double(runs + 1) + m.burst +
        double(m.window_bytes) * double(kInputs * image_.arrival_cycles) / double(m.window_cycles);
    out.is_too_much = double(tile.counters().output_bytes) > proved + 1;
    return out;
  }

  bool drops_too_much(const Seen& seen) const {
    const double share = report_.predicted_drop_share;
    const auto taken = double(seen.inputs - seen.dropped);
    return double(seen.dropped) > (share * taken + report_.drop_burst) / (1 - share) + 1e-6;
  }

  bool is_expected(const Seen& seen, uint32_t queue) const {
    const double expected = tile::expected_dropped(report_.main, image_.arrival_cycles, queue);
    const double observed = double(seen.dropped) / double(seen.inputs);
    const bool both_rare = expected < 0.01 && observed < 0.01;
    return both_rare || (expected <= 2 * observed && observed <= 2 * expected);
  }

 private:
  Trigger trigger_;
  Image image_;
  VerifyReport report_;
};

}  // namespace

std::string drawn_tile_program(uint64_t seed, uint32_t arrival) {
  base::Rng rng(seed, "tile.audit.program");
  const std::string bins = number(8u << rng.below(4));
  std::string out = "#include \"ypu.h\"\nYPU_INPUTS(0x1);\nYPU_ARRIVAL(" + number(arrival) +
                    ");\nYPU_OUTPUT(1000000, 1);\nYPU_DROPS_EXPECTED;\n\nstatic uint32_t bins[" + bins +
                    "], n, last, now;\n\nYPU_MAIN {\n  const uint32_t a = ypu_io(0);\n";
  out += taking(rng, bins);
  out += "  if (" + condition(trigger_of(seed), rng) + ") {\n";
  out += "    for (uint32_t i = 0; i < " + bins +
         "; ++i) {\n      ypu_put32(bins[i]);\n      bins[i] = 0;\n    }\n";
  return out + "  }\n}\n";
}

std::vector<Promise> audit_tile(const TileAuditOptions& options, const base::Progress& progress) {
  constexpr uint32_t kQueues[] = {0, 4, 16};
  using Kind = Promise::Kind;
  Promise accepted{"drawn programs are accepted as written", Kind::AtLeast, 0.95};
  Promise too_long{"programs with a run longer than proved", Kind::AtMost, 0};
  Promise too_much{"programs with more output than proved", Kind::AtMost, 0};
  Promise too_lossy{"programs that drop more inputs than proved", Kind::AtMost, 0};
  std::vector<Promise> expected;
  for (const uint32_t queue : kQueues)
    expected.push_back(
        {"drops within a factor of two of what is expected, or both under 1 %, queue of " + number(queue),
         Kind::AtLeast,
         0.95});
  base::Rng rng(options.seed, "tile.audit");
  for (int i = 0; i < options.programs; ++i) {
    if (progress.report)
      progress.report("tile programs", double(i), double(options.programs));
    if (progress.stopped())
      break;
    const Trial trial(rng.next(), rng);
    accepted.hits += trial.accepted();
    ++accepted.trials;
    if (!trial.accepted())
      continue;
    for (size_t q = 0; q < std::size(kQueues); ++q) {
      const Trial::Seen seen = trial.run(kQueues[q], rng);
      if (q == 0) {
        too_long.hits += seen.is_too_long;
        too_much.hits += seen.is_too_much;
        too_lossy.hits += trial.drops_too_much(seen);
        ++too_long.trials, ++too_much.trials, ++too_lossy.trials;
      }
      if (trial.is_regular()) {
        expected[q].hits += trial.is_expected(seen, kQueues[q]);
        ++expected[q].trials;
      }
    }
  }
  std::vector<Promise> out = {accepted, too_long, too_much, too_lossy};
  out.insert(out.end(), expected.begin(), expected.end());
  return out;
}

}  // namespace lento::lab
