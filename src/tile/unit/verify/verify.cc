// Proves the rules of verify.h for an image. Syntactic rules (loops, finish) are checked on the code. All
// other rules follow from exploring init, main and finish on abstract values, until the possible contents of
// the scratchpad between runs no longer grow. When that takes too many steps, the program is explored with an
// unknown scratchpad. Cost: at most kStepLimit steps an attempt, some six seconds.
#include "tile/unit/verify/verify.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/units.h"
#include "tile/unit/verify/amortise.h"
#include "tile/unit/verify/code_rules.h"
#include "tile/unit/verify/control_flow.h"
#include "tile/unit/verify/drops.h"
#include "tile/unit/verify/explorer_impl.h"

namespace lento::tile {
namespace {

using riscv::Op;

// Compares main's bounds of lost inputs and of output with what the image declares, and adds a violation for
// each breach. Sets the shares of lost inputs in the report.
void check_rates(const Image& image, VerifyReport& report) {
  const RegionReport& m = report.main;
  if (m.lossless_period == UINT64_MAX)
    report.predicted_drop_share = 1;
  else if (m.streamed > 0 && image.arrival_cycles < m.lossless_period)
    report.predicted_drop_share = most_dropped_of_stream(m, image.arrival_cycles);
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
  const double rate = m.bytes_per_run / double(shortest) + m.window_bytes / double(m.window_cycles);
  constexpr double kRounding = 1e-9;
  if (rate * double(image.output_cycles) > double(image.output_bytes) * (1 + kRounding)) {
    report.violations.push_back(
        {Rule::OutputRate,
         image.main_entry,
         "main may put out " + base::format_number(rate * double(shortest)) + " bytes every " +
             std::to_string(shortest) + " cycles, declared are " + std::to_string(image.output_bytes) +
             " per " + std::to_string(image.output_cycles) + ". The smallest rate that would pass is " +
             base::format_number(std::ceil(rate * double(image.output_cycles) * (1 - kRounding)), 12) +
             " per " + std::to_string(image.output_cycles)});
  }
}

// Returns an interval that includes `both`, extended so that repeated rounds end. Where `both` exceeds
// `before`, its end moves on to the next of `ends` (constants_of), or to 0 or 2^32 - 1 when there is none. A
// set of code addresses is returned as it is.
AbstractValue
widened(const AbstractValue& before, const AbstractValue& both, const std::vector<uint32_t>& ends) {
  if (both.places > 0)
    return both;
  uint32_t low = both.low;
  uint32_t high = both.high;
  if (low < before.low) {
    const auto above = std::ranges::upper_bound(ends, low);
    low = above == ends.begin() ? 0 : *std::prev(above);
  }
  if (high > before.high) {
    const auto at = std::ranges::lower_bound(ends, high);
    high = at == ends.end() ? UINT32_MAX : *at;
  }
  // The known bits of `both` are kept. From round to round they can only become fewer, so this ends without
  // an extension. They keep the bounds of single bytes of a word.
  AbstractValue bits;
  bits.zeros = both.zeros;
  bits.ones = both.ones;
  return meet(AbstractValue::range(low, high), bits);
}

// Returns the bounds of an explored region for the report.
RegionReport report_of(const Exploration& e) {
  const PathCost& c = e.cost;
  RegionReport out;
  out.worst_cycles = c.worst;
  out.best_cycles = c.best;
  out.worst_bytes = c.bytes;
  out.bytes_per_run = double(c.bytes);
  out.streamed = c.streamed;
  out.streamed_least = c.streamed_least;
  out.busy_cycles = c.busy;
  out.lossless_period = c.lossless_period();
  out.stack_bytes = e.stack_bytes;
  out.steps = e.steps;
  return out;
}

// Finds the possible contents of the scratchpad at the begin of any run of main or finish, which may run in
// any order and number after init.
class Fixpoint {
 public:
  Fixpoint(const Image& image, const Program& program, const base::Progress& progress, VerifyReport& report)
      : image_(image),
        program_(program),
        progress_(progress),
        report_(report) {
  }

  // Explores init, main and finish to the fixed point. When that takes too many steps, they are explored
  // again with an unknown scratchpad. Rejects the program when this takes too many steps as well.
  void run() {
    try {
      rounds();
    } catch (const OutOfSteps&) {
      plain_ = true;
      join_.fill(Join::AtMeeting);
      budget_ = kStepLimit;
      try {
        rounds();
      } catch (const OutOfSteps& out) {
        reject(Rule::Unbounded, out.pc, "no bound was found within " + std::to_string(kStepLimit) + " steps");
      }
    }
  }

  // Bounds the output and the lost inputs of main over many runs (amortise.h). Main is explored once more
  // with tracked cells (Tracked): those whose value a branch tests, and those that hold an arrival time. When
  // that exploration fails, every run is assumed to be the worst one.
  void amortise() {
    RegionReport& main = report_.main;
    const bool drops = image_.arrival_cycles < main.lossless_period;
    if (main.worst_bytes == 0 && !drops)
      return;
    const ManyRuns worst{{}, {}, {{{}, main.worst_cycles, main.worst_bytes}}};
    ManyRuns runs = worst;
    for (Tracked t : suggested_) {
      const AbstractValue held = start_.value(t.cell);
      int64_t span = t.mask;
      if (t.mask == cell_mask(t.cell)) {
        span = int64_t{held.high} - held.low;
        t.mask = held.high >> 31 ? UINT32_MAX : std::bit_ceil(held.high + 1) - 1;
      }
      if (runs.tracked.size() == kMostTracked || (t.clock.number == 0 && (span == 0 || span > kMostSpan)))
        continue;
      runs.tracked.push_back(t);
      runs.spans.push_back(span);
    }
    const ExploreOptions options{join_[size_t(RegionKind::Main)], false, runs.tracked};
    uint64_t budget = 2 * main.steps + kTrackedSteps;
    try {
      if (!runs.tracked.empty())
        runs.kinds = explore({program_, RegionKind::Main, start_}, options, budget, progress_).cost.kinds;
    } catch (const OutOfSteps&) {
      runs = worst;
    } catch (const Violation&) {
      runs = worst;
    }
    bound_output(runs, std::max<uint64_t>(main.best_cycles + 1, image_.arrival_cycles), main);
    if (drops)
      bound_drops(runs, image_.arrival_cycles, report_);
  }

  // Returns the tile cycles that main's worst path spends at each instruction (index: pc / 4). Throws
  // OutOfSteps after kProfileSteps steps.
  std::vector<uint64_t> profile() {
    uint64_t budget = kProfileSteps;
    const ExploreOptions options{join_[size_t(RegionKind::Main)], true};
    return explore({program_, RegionKind::Main, start_}, options, budget, progress_).cost.profile;
  }

 private:
  // Explores init, and then main and finish in rounds until the possible contents of the scratchpad no longer
  // grow.
  void rounds() {
    const Exploration init = explore_region(RegionKind::Init, Scratchpad::of_image(image_.data));
    report_.init = report_of(init);
    start_ = init.words;
    if (plain_)
      start_.forget(kDataBase, kStackTop - 1);
    for (int round = 0;; ++round) {
      const Exploration main = explore_region(RegionKind::Main, start_);
      if (round == 0)
        check_finish(image_, program_.code);
      const Exploration finish = explore_region(RegionKind::Finish, start_);
      report_.main = report_of(main);
      report_.finish = report_of(finish);
      suggested_ = main.tracked;
      if (!grow(main, finish, round))
        return;
    }
  }

  static constexpr int64_t kMostSpan = 1 << 20;  // most that a tracked counter may differ
  static constexpr size_t kMostTracked = 16;
  static constexpr int kExactRounds = 2;
  static constexpr int kAnyRounds = 8;
  static constexpr uint64_t kLateSteps = 200'000;
  static constexpr uint64_t kProfileSteps = 200'000;
  static constexpr uint64_t kTrackedSteps = 100'000;
  static constexpr uint64_t kRoundSteps = 1'500'000;

  // Explores a region. To join paths late (Join::AtEnd) is more precise, so it is tried first, in at most
  // kLateSteps steps. When it fails, the region is explored with Join::AtMeeting, now and in all later
  // rounds.
  Exploration explore_region(RegionKind kind, const Scratchpad& words) {
    Join& join = join_[size_t(kind)];
    if (join == Join::AtEnd) {
      uint64_t budget = std::min(budget_, kLateSteps);
      const uint64_t given = budget;
      try {
        Exploration out = explore({program_, kind, words}, {join}, budget, progress_);
        budget_ -= given - budget;
        return out;
      } catch (const OutOfSteps&) {
      } catch (const Violation&) {
      }
      join = Join::AtMeeting;
    }
    return explore({program_, kind, words}, {join}, budget_, progress_);
  }

  // Adds the contents of the scratchpad after main and finish to start_. Returns whether that makes another
  // round necessary.
  bool grow(const Exploration& main, const Exploration& finish, int round) {
    Scratchpad next = start_;
    bool grew = false;
    for (const Scratchpad* after : {&main.words, &finish.words}) {
      grew |= next.merge(*after, [&](const AbstractValue& before, const AbstractValue& now) {
        AbstractValue both = join(before, now);
        both.term = {};
        if (round < kExactRounds || both.same_value(before))
          return both;
        return round < widening_rounds_ ? widened(before, both, program_.ends) : AbstractValue::any();
      });
    }
    if (grew && (plain_ || round >= widening_rounds_ + kAnyRounds))
      next.forget(kDataBase, kStackTop - 1);
    // With an unknown scratchpad, only one change matters: more words that hold a register which was never
    // set, on a page of which main or finish loads unknown words.
    if (plain_)
      grew = (next.newly_unset(start_) & (main.looked_at | finish.looked_at)).any();
    start_ = std::move(next);
    return grew;
  }

  const Image& image_;
  const Program& program_;
  const base::Progress& progress_;
  VerifyReport& report_;
  Scratchpad start_;
  std::set<Tracked> suggested_;
  std::array<Join, 3> join_ = {Join::AtEnd, Join::AtEnd, Join::AtEnd};
  uint64_t budget_ = kRoundSteps;
  bool plain_ = false;
  // A cell that alone grows has visited each constant and lost each known bit by then.
  const int widening_rounds_ = kExactRounds + int(program_.ends.size()) + 32;
};

// Verifies all rules but the rates (5 and 6 of verify.h), and then calls `then` with the fixed point and the
// report. Violations that are thrown, by `then` too, are added to the report.
template <class Then>
VerifyReport verify_then(
    const Image& image,
    const base::Progress& progress,
    const std::vector<DataObject>& objects,
    const Then& then) {
  VerifyReport report;
  Program program{image, decode_code(image.code), {}, {}, {}, objects};
  program.order = visit_order(program.code, {0, image.main_entry / 4, kFinishEntry / 4});
  program.ends = constants_of(program.code);
  try {
    check_loops(program);
    Fixpoint fixpoint(image, program, progress, report);
    fixpoint.run();
    then(fixpoint, report);
  } catch (const Violation& violation) {
    report.violations.push_back(violation);
  } catch (const OutOfSteps&) {
    return report;  // of the worst path, after the proof
  } catch (const Stopped&) {
    report.stopped = true;
  }
  report.accepted = report.violations.empty() && !report.stopped;
  return report;
}

}  // namespace

VerifyReport
verify(const Image& image, const base::Progress& progress, const std::vector<DataObject>& objects) {
  return verify_then(image, progress, objects, [&](Fixpoint& fixpoint, VerifyReport& report) {
    fixpoint.amortise();
    check_rates(image, report);
  });
}

std::vector<uint64_t> worst_path(const Image& image, const base::Progress& progress) {
  std::vector<uint64_t> out;
  verify_then(image, progress, {}, [&](Fixpoint& fixpoint, VerifyReport&) {
    out = fixpoint.profile();
  });
  return out;
}

}  // namespace lento::tile
