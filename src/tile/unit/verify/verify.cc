// Proves the rules of verify.h for an image. Syntactic rules (loops, finish) are checked on the code. All
// other rules follow from exploring init, main and finish on abstract values, to a fixed point of the
// scratchpad between runs. A program that is too long for that is explored once with nothing known of the
// scratchpad. Cost: at most kStepLimit steps an attempt, about a second.
#include "tile/unit/verify/verify.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/units.h"
#include "tile/unit/verify/code_rules.h"
#include "tile/unit/verify/control_flow.h"
#include "tile/unit/verify/drops.h"
#include "tile/unit/verify/explorer_impl.h"

namespace lento::tile {
namespace {

using riscv::Op;

__extension__ using Uint128 = unsigned __int128;

// Compares the bounds of run time and output with the declared rates, and adds a violation for each breach.
void check_rates(const Image& image, VerifyReport& report) {
  const RegionReport& m = report.main;
  report.predicted_drop_share = most_dropped(m, image.arrival_cycles);
  if (report.predicted_drop_share > 0)
    report.drop_burst = drop_burst(m, image.arrival_cycles);
  for (const uint32_t queue : {0, 4, 16})
    report.expected_drops.push_back({queue, expected_dropped(m, image.arrival_cycles, queue)});
  if (report.predicted_drop_share > 0 && !image.drops_declared) {
    report.violations.push_back(
        {Rule::Arrival,
         image.main_entry,
         "main takes up to " + std::to_string(m.worst_cycles) + " cycles, inputs come every " +
             std::to_string(image.arrival_cycles) + ": drops are possible but not declared" +
             (m.lossless_period == UINT64_MAX
                  ? ""
                  : ". The smallest period that would pass is " + std::to_string(m.lossless_period))});
  }
  const uint64_t shortest = std::max<uint64_t>(m.best_cycles + 1, image.arrival_cycles);
  // Compares main's highest output rate, bytes_in_parts / (parts * shortest) + window_bytes / window_cycles
  // in bytes per cycle, with the declared rate. Integers of 128 bits make the comparison exact.
  const Uint128 put_out =
      Uint128{m.bytes_in_parts} * m.window_cycles + Uint128{m.window_bytes} * shortest * m.parts;
  const double rate = double(put_out) / (double(shortest) * double(m.parts) * double(m.window_cycles));
  if (put_out * image.output_cycles > Uint128{image.output_bytes} * shortest * m.parts * m.window_cycles) {
    report.violations.push_back(
        {Rule::OutputRate,
         image.main_entry,
         "main may put out " + base::format_number(rate * double(shortest)) + " bytes every " +
             std::to_string(shortest) + " cycles, declared are " + std::to_string(image.output_bytes) +
             " per " + std::to_string(image.output_cycles) + ". The smallest rate that would pass is " +
             base::format_number(std::ceil(rate * double(image.output_cycles)), 12) + " per " +
             std::to_string(image.output_cycles)});
  }
}

// Returns the bounds of a region for the report.
RegionReport report_of(const Exploration& e) {
  const PathCost& c = e.cost;
  RegionReport out;
  out.worst_cycles = c.worst;
  out.best_cycles = c.best;
  out.worst_bytes = c.bytes;
  out.bytes_in_parts = c.bytes;
  out.streamed = c.streamed;
  out.streamed_least = c.streamed_least;
  out.busy_cycles = c.busy;
  out.lossless_period = c.lossless_period();
  out.stack_bytes = e.stack_bytes;
  out.steps = e.steps;
  return out;
}

// Finds the content of the scratchpad at the begin of any run: main and finish run in any order and number
// after init.
class Fixpoint {
 public:
  Fixpoint(const Image& image, const Program& program, const base::Progress& progress, VerifyReport& report)
      : image_(image),
        program_(program),
        progress_(progress),
        report_(report) {
  }

  // Explores to the fixed point. When that takes too many steps, the program is explored once with an unknown
  // scratchpad.
  void run() {
    try {
      rounds();
    } catch (const OutOfSteps&) {
      plain_ = true;
      budget_ = kStepLimit;
      try {
        rounds();
      } catch (const OutOfSteps& out) {
        reject(Rule::Unbounded, out.pc, "no bound was found within " + std::to_string(kStepLimit) + " steps");
      }
    }
  }

  // Looks for a counter (explorer.h) that lowers the bound of main's output over many runs, and tries the
  // candidates one after the other. Does the same for main's cycles when inputs may be dropped.
  void amortise() {
    RegionReport& main = report_.main;
    main.long_runs.mean_cycles = double(main.worst_cycles);
    main.long_runs.short_cycles = main.worst_cycles;
    goal_ = {false, int64_t(std::min<uint64_t>(main.worst_bytes, INT64_MAX))};
    try_counters();
    if (main.streamed > 0 || image_.arrival_cycles >= main.lossless_period)
      return;
    goal_ = {true, int64_t(main.worst_cycles)};
    try_counters();
  }

  // Returns the cycles of main's worst path by instruction.
  std::vector<uint64_t> profile() {
    ExploreOptions options;
    options.join = join_[size_t(RegionKind::Main)];
    options.profile = true;
    uint64_t budget = kProfileSteps;
    return explore({program_, RegionKind::Main, start_}, options, budget, progress_).cost.profile;
  }

 private:
  // Repeats init, main and finish until the possible memory contents no longer grow.
  void rounds() {
    const Exploration init = explore_region(RegionKind::Init, KnownWords::of_image(image_.data));
    report_.init = report_of(init);
    start_ = init.words;
    if (plain_)
      start_.forget_all();
    for (int round = 0;; ++round) {
      const Exploration main = explore_region(RegionKind::Main, start_);
      if (round == 0)
        check_finish(image_, program_.code);
      const Exploration finish = explore_region(RegionKind::Finish, start_);
      report_.main = report_of(main);
      report_.finish = report_of(finish);
      changed_ = main.changed;
      time_words_ = main.time_words;
      if (!grow(main, finish, round))
        return;
    }
  }

  static constexpr int64_t kMostCount = 1 << 20;  // most values of a counter
  static constexpr size_t kMostCounters = 8;      // most counters that are tried
  static constexpr size_t kMostMasks = 4;         // most masks of a word that are tried
  static constexpr uint32_t kMostMaskBits = 20;
  static constexpr int kExactRounds = 2;
  static constexpr int kWideningRounds = 24;
  static constexpr int kRounds = 32;
  static constexpr uint64_t kLateSteps = 200'000;
  static constexpr uint64_t kProfileSteps = 200'000;
  static constexpr uint64_t kCounterSteps = 100'000;
  static constexpr uint64_t kRoundSteps = 1'500'000;

  // Explores a region. Late joins of paths are more precise, so they are tried first while they are cheap.
  // The result of the last attempt counts.
  Exploration explore_region(RegionKind kind, const KnownWords& words) {
    Join& join = join_[size_t(kind)];
    if (plain_)
      return explore_joined(kind, words, Join::AtMeeting, budget_);
    if (join == Join::AtEnd) {
      uint64_t budget = std::min(budget_, kLateSteps);
      const uint64_t given = budget;
      try {
        Exploration out = explore_joined(kind, words, join, budget);
        budget_ -= given - budget;
        return out;
      } catch (const OutOfSteps&) {
        join = Join::AtMeeting;
      } catch (const Violation&) {
        join = Join::AtMeeting;
      }
    }
    return explore_joined(kind, words, join, budget_);
  }

  Exploration explore_joined(RegionKind kind, const KnownWords& words, Join join, uint64_t& budget) {
    ExploreOptions options;
    options.join = join;
    return explore({program_, kind, words}, options, budget, progress_);
  }

  // Adds the memory contents after main and finish to those before main. Returns whether they grew.
  bool grow(const Exploration& main, const Exploration& finish, int round) {
    const auto growth = round < kExactRounds      ? KnownWords::Growth::Exact
                        : round < kWideningRounds ? KnownWords::Growth::ToEnds
                                                  : KnownWords::Growth::ToAny;
    KnownWords next = start_;
    bool grew = next.widen(main.words, growth, program_.ends);
    grew |= next.widen(finish.words, growth, program_.ends);
    if (grew && (plain_ || round >= kRounds))
      next.forget_all();
    // When nothing of the scratchpad is known, only words saved from registers that were never set make a
    // difference to code that loads them.
    if (plain_)
      grew = (next.newly_unset(start_) & (main.looked_at | finish.looked_at)).any();
    start_ = std::move(next);
    return grew;
  }

  void try_counters() {
    const int64_t worst = goal_.worst;
    if (worst == 0 || worst > kMostCount)
      return;
    std::array<size_t, 2> tried = {};  // cells of unknown and of known range
    for (const uint32_t cell : changed_) {
      const std::optional<AbstractValue> held = start_.cell(cell);
      if (held && held->low == held->high)
        continue;
      Counter counter{Counter::Kind::Count, cell, worst};
      const uint32_t high = held ? held->high : cell_lane(cell);
      const int64_t span = int64_t{high} - (held ? held->low : 0);
      const bool bounded = span <= kMostCount;
      if (tried[bounded]++ >= kMostCounters)
        continue;
      if (bounded) {
        counter.mask = high >> 31 ? UINT32_MAX : std::bit_ceil(high + 1) - 1;
        for (const int64_t parts : {span + 1, span}) {
          counter.parts = parts;
          for (const int64_t weight : {worst, -worst}) {
            counter.weight = weight;
            try_counter(counter, span);
          }
        }
      }
      try_low_bits(counter, cell_lane(cell));
    }
    for (const TimeWord& time : std::set<TimeWord>(time_words_))
      amortise_time(time, worst);
  }

  // Tries whether the low bits of the cell bound main's output or cycles, as they do when the program tests a
  // free-running counter by `n & mask`. The masks are those that an `andi` or a `slli` of the program
  // applies, within `lane`, the bits of the cell.
  void try_low_bits(Counter counter, uint32_t lane) {
    std::set<uint32_t> masks;
    for (const TileOp& op : program_.code) {
      if (op.custom != Custom::None)
        continue;
      const auto constant = uint32_t(op.base.imm);
      if (op.base.op == Op::Andi && std::has_single_bit(constant + 1))
        masks.insert(constant);
      if (op.base.op == Op::Slli && (constant & 31) > 32 - kMostMaskBits)
        masks.insert(UINT32_MAX >> (constant & 31));
    }
    masks.erase(0);
    masks.erase(masks.upper_bound(lane), masks.end());
    size_t tried = 0;
    for (auto mask = masks.rbegin(); mask != masks.rend() && tried < kMostMasks; ++mask, ++tried) {
      counter.weight = std::abs(counter.weight);
      counter.mask = *mask;
      counter.parts = int64_t{*mask} + 1;
      for (const uint32_t residue : {0, 1}) {
        counter.residue = residue;
        try_counter(counter, *mask);
      }
    }
  }

  // Amortises the cost `worst` (bytes or cycles of one input) over time, for a cell that main sets to the
  // arrival time. A path that enters a new window of 2^n cycles, or that finds a period elapsed since the
  // cell's time, is taken once a period (Counter::Kind::Window and Elapsed). The periods that the program
  // tests for are collected by a first exploration.
  void amortise_time(const TimeWord& time, int64_t worst) {
    const bool elapsed = time.form == 1;
    Counter counter{elapsed ? Counter::Kind::Elapsed : Counter::Kind::Window, time.cell, worst};
    counter.form = time.form;
    counter.ahead = time.ahead;
    counter.period = elapsed ? UINT32_MAX : 1u << ((time.form - 1) & 31);
    std::set<uint32_t> periods = {counter.period};
    if (elapsed) {
      periods.clear();
      if (const auto seen = explore_with(counter)) {
        for (const TimeWord& found : seen->time_words) {
          if (found.cell == time.cell && found.period > 0 && found.form == 1 && found.ahead == time.ahead)
            periods.insert(found.period);
        }
      }
    }
    size_t tried = 0;
    for (auto period = periods.rbegin(); period != periods.rend() && tried < kMostMasks; ++period, ++tried) {
      counter.period = *period;
      try_counter(counter, 1);
    }
  }

  // Explores main and computes its amortised cost under `counter` (PathCost::charged). Returns nothing when
  // the step budget is spent or a rule is violated.
  std::optional<Exploration> explore_with(const Counter& counter) {
    ExploreOptions options;
    options.counter = counter;
    options.counter.of_cycles = goal_.of_cycles;
    options.join = join_[size_t(RegionKind::Main)];
    uint64_t budget = 2 * report_.main.steps + kCounterSteps;
    try {
      return explore({program_, RegionKind::Main, start_}, options, budget, progress_);
    } catch (const OutOfSteps&) {
    } catch (const Violation& v) {
    }
    return std::nullopt;
  }

  // Returns the highest amortised cost of a path through main, in units of 1 / Counter::parts byte or cycle,
  // or nothing when the counter does not bound it.
  std::optional<int64_t> charged_with(const Counter& counter) {
    const std::optional<Exploration> found = explore_with(counter);
    if (!found || found->cost.charged >= PathCost::kMostCharged / 2)
      return std::nullopt;
    return std::max<int64_t>(found->cost.charged, 0);
  }

  void try_counter(const Counter& counter, int64_t span) {
    if (goal_.of_cycles)
      return counter.period > 0 ? try_time_of_cycles(counter) : try_cycles(counter, span);
    try_bytes(counter, span);
  }

  // Bounds the mean cycles of main by a counter of kind Count. The fall of the potential lowers the cost of
  // the longest run by about `weight` cycles, and its rise adds weight / parts to each other run. A first
  // exploration with the largest weight gives the cycles of the other runs. The second takes the weight at
  // which long and short runs cost the same.
  void try_cycles(Counter counter, int64_t span) {
    const int64_t worst = goal_.worst;
    const std::optional<int64_t> rough = charged_with(counter);
    const int64_t least = rough && counter.parts > 1 ? (*rough - worst) / counter.parts : worst;
    if (least < 0 || least >= worst)
      return;
    counter.weight = counter.weight > 0 ? worst - least : least - worst;
    const std::optional<int64_t> charged = charged_with(counter);
    LongRuns& long_runs = report_.main.long_runs;
    if (!charged || long_runs.every_cycles > 0)
      return;
    const double mean = double(*charged) / double(counter.parts);
    if (mean >= long_runs.mean_cycles)
      return;
    const double of_short = (double(*charged) - double(worst)) / double(counter.parts - 1);
    long_runs.every_runs = uint64_t(counter.parts);
    long_runs.mean_cycles = mean;
    long_runs.short_cycles = std::max(uint64_t(std::max(of_short, 0.0)), report_.main.best_cycles);
    long_runs.burst = double(std::abs(counter.weight)) * double(span) / double(counter.parts);
  }

  // Bounds the longest runs of main to one in each counter.period cycles. The other runs must take fewer
  // cycles than lie between two inputs, so that they drop none.
  void try_time_of_cycles(const Counter& counter) {
    const std::optional<int64_t> charged = charged_with(counter);
    LongRuns& long_runs = report_.main.long_runs;
    if (!charged || uint64_t(*charged) >= image_.arrival_cycles || counter.period <= long_runs.every_cycles)
      return;
    long_runs = {1, counter.period, double(goal_.worst), uint64_t(*charged), 0};
  }

  // Adopts the counter's bound when it lowers main's bytes of output per run, with runs at their shortest
  // distance in time.
  void try_bytes(const Counter& counter, int64_t span) {
    const std::optional<int64_t> charged = charged_with(counter);
    if (!charged)
      return;
    RegionReport& main = report_.main;
    const auto bytes = uint64_t(*charged);
    const bool is_time = counter.period > 0;
    const double shortest = double(std::max<uint64_t>(main.best_cycles + 1, image_.arrival_cycles));
    const double before =
        main.bytes_per_run() + shortest * double(main.window_bytes) / double(main.window_cycles);
    const double now = double(bytes) / double(counter.parts) +
                       (is_time ? shortest * double(counter.weight) / double(counter.period) : 0);
    if (now >= before)
      return;
    main.bytes_in_parts = bytes;
    main.parts = uint64_t(counter.parts);
    main.window_bytes = is_time ? uint64_t(counter.weight) : 0;
    main.window_cycles = is_time ? counter.period : 1;
    main.burst = double(std::abs(counter.weight)) * double(span) / double(counter.parts);
  }

  // The quantity that a counter bounds: the bytes that main sends, or its cycles.
  struct Goal {
    bool of_cycles = false;
    int64_t worst = 0;
  };

  const Image& image_;
  const Program& program_;
  const base::Progress& progress_;
  VerifyReport& report_;
  Goal goal_;
  KnownWords start_;
  std::set<uint32_t> changed_;
  std::set<TimeWord> time_words_;
  std::array<Join, 3> join_ = {Join::AtEnd, Join::AtEnd, Join::AtEnd};
  uint64_t budget_ = kRoundSteps;
  bool plain_ = false;
};

Program program_of(const Image& image) {
  Program program{image, decode_code(image.code), {}, {}, {}, {}};
  program.meets = post_dominators(program.code);
  program.ends = constants_of(program.code);
  return program;
}

}  // namespace

// Verifies an image. `objects` are variables that accesses must not leave.
VerifyReport
verify(const Image& image, const base::Progress& progress, const std::vector<DataObject>& objects) {
  VerifyReport report;
  Program program = program_of(image);
  program.objects = objects;
  try {
    check_loops(program);
    Fixpoint fixpoint(image, program, progress, report);
    fixpoint.run();
    fixpoint.amortise();
    check_rates(image, report);
  } catch (const Violation& violation) {
    report.violations.push_back(violation);
  } catch (const Stopped&) {
    report.stopped = true;
  }
  report.accepted = report.violations.empty() && !report.stopped;
  return report;
}

std::vector<uint64_t> worst_path(const Image& image, const base::Progress& progress) {
  VerifyReport report;
  Program program = program_of(image);
  try {
    check_loops(program);
    Fixpoint fixpoint(image, program, progress, report);
    fixpoint.run();
    return fixpoint.profile();
  } catch (const Violation&) {
    return {};
  } catch (const OutOfSteps&) {
    return {};
  } catch (const Stopped&) {
    return {};
  }
}

}  // namespace lento::tile
