#include "tile/unit/verify.h"

#include <algorithm>

#include "base/units.h"
#include "tile/unit/control_flow.h"
#include "tile/unit/explorer.h"

namespace lento::tile {
namespace {

using riscv::Op;

__extension__ using Uint128 = unsigned __int128;

[[noreturn]] void reject(Rule rule, uint32_t pc, const std::string& text) { throw Violation{rule, pc, text}; }

struct Body {
  uint32_t first = 0, last = 0;  // instruction indices
};

std::vector<Body> loop_bodies(const std::vector<TileOp>& code) {
  std::vector<Body> bodies;
  for (uint32_t at = 0; at < code.size(); ++at) {
    if (code[at].custom == Custom::Loop || code[at].custom == Custom::LoopImmediate)
      bodies.push_back({at + 1, at + code[at].length});
  }
  return bodies;
}

// Hardware loops nest properly, hold no control flow, and no branch jumps between their first and last word.
// Marks their instructions.
void check_loops(Program& program) {
  const std::vector<TileOp>& code = program.code;
  program.in_body.assign(code.size(), false);
  const std::vector<Body> bodies = loop_bodies(code);
  for (const Body& body : bodies) {
    int inner = 0;
    for (uint32_t at = body.first; at <= body.last; ++at) {
      if (at >= code.size()) reject(Rule::LoopBody, 4 * (body.first - 1), "the loop's body leaves the code");
      program.in_body[at] = true;
      const TileOp& op = code[at];
      if (riscv::is_branch(op.base.op) || riscv::is_jump(op.base.op))
        reject(Rule::LoopBody, 4 * at, "control flow inside a hardware loop");
      if (op.length == 0) continue;
      if (at + op.length >= body.last)
        reject(Rule::LoopBody, 4 * at, "an inner loop must end before the outer one");
      for (const Body& outer : bodies) inner += outer.first <= body.first - 1 && body.last <= outer.last;
      if (inner > 0) reject(Rule::LoopBody, 4 * at, "hardware loops nest two deep only");
    }
  }
  for (uint32_t at = 0; at < code.size(); ++at) {
    const riscv::Instruction& n = code[at].base;
    if (!riscv::is_branch(n.op) && n.op != Op::Jal) continue;
    const int64_t target = int64_t{at} + n.imm / 4;
    if (target >= 0 && target < int64_t(code.size()) && program.in_body[static_cast<size_t>(target)])
      reject(Rule::LoopBody, 4 * at, "jump into the body of a hardware loop");
  }
}

void check_finish(const Image& image, const std::vector<TileOp>& code) {
  if (image.code.size() <= kFinishEntry)
    reject(Rule::FinishSize, kFinishEntry,
           "there is no finish: the code ends at " + base::hex(4 * uint32_t(code.size())));
  // The region is 16 words up to the end of the code; it must return or jump before it falls off.
  for (uint32_t at = kFinishEntry / 4; at < code.size(); ++at) {
    if (riscv::is_jump(code[at].base.op)) return;
  }
  reject(Rule::FinishSize, kFinishEntry, "finish neither returns nor jumps within its 16 instructions");
}

// At most, of the inputs that come when they may come every arrival_cycles. Without hist.in a run takes the
// input that starts it. While hist.in streams, a stretch of n other cycles loses floor(n / arrival) inputs;
// the last stretch also loses the one that waits when main returns.
double drop_share(const RegionReport& m, uint64_t arrival) {
  if (arrival >= m.lossless_period) return 0;
  if (m.lossless_period == UINT64_MAX) return 1;
  const uint64_t dropped = m.streamed > 0 ? (m.busy_cycles + arrival) / arrival : m.worst_cycles / arrival;
  const uint64_t taken = std::max<uint64_t>(m.streamed_least, 1);
  return static_cast<double>(dropped) / static_cast<double>(dropped + taken);
}

void check_rates(const Image& image, VerifyReport& report) {
  const RegionReport& m = report.main;
  report.predicted_drop_share = drop_share(m, image.arrival_cycles);
  if (report.predicted_drop_share > 0 && !image.drops_declared) {
    report.violations.push_back({Rule::Arrival, image.main_entry,
                                 "main takes up to " + std::to_string(m.worst_cycles) +
                                     " cycles, inputs come every " + std::to_string(image.arrival_cycles) +
                                     ": drops are possible but not declared"});
  }
  const uint64_t shortest = std::max<uint64_t>(m.best_cycles + 1, image.arrival_cycles);
  if (Uint128{m.worst_bytes} * image.output_cycles > Uint128{image.output_bytes} * shortest) {
    report.violations.push_back({Rule::OutputRate, image.main_entry,
                                 "main may put out " + std::to_string(m.worst_bytes) + " bytes every " +
                                     std::to_string(shortest) + " cycles, declared are " +
                                     std::to_string(image.output_bytes) + " per " +
                                     std::to_string(image.output_cycles)});
  }
}

RegionReport report_of(const Exploration& e) {
  const PathCost& c = e.cost;
  return {c.worst,       c.best, c.bytes, c.streamed, c.streamed_least, c.busy, c.lossless_period(),
          e.stack_bytes, e.steps};
}

// What main or finish leave unset on the stack, the next run of either may find there: explored again until
// no new word is found.
void explore_regions(const Image& image, const Program& program, const base::Progress& progress,
                     VerifyReport& report) {
  const auto attempt = [&](auto&& work) {
    try {
      work();
    } catch (const Violation& violation) {
      report.violations.push_back(violation);
    }
  };
  attempt([&] { report.init = report_of(explore(program, RegionKind::Init, {}, progress)); });
  std::set<uint32_t> stale;
  for (size_t known = SIZE_MAX; known != stale.size();) {
    known = stale.size();
    const std::set<uint32_t> before = stale;
    attempt([&] {
      const Exploration e = explore(program, RegionKind::Main, before, progress);
      report.main = report_of(e);
      stale.insert(e.unset_words.begin(), e.unset_words.end());
    });
    attempt([&] {
      check_finish(image, program.code);
      const Exploration e = explore(program, RegionKind::Finish, before, progress);
      report.finish = report_of(e);
      stale.insert(e.unset_words.begin(), e.unset_words.end());
    });
    if (!report.violations.empty()) return;
  }
}

}  // namespace

std::string_view rule_name(Rule rule) {
  static constexpr std::string_view kNames[] = {"illegal instruction",
                                                "control flow",
                                                "indirect jump",
                                                "hardware loop",
                                                "recursion",
                                                "load bounds",
                                                "store bounds",
                                                "uninitialised register",
                                                "unbounded loop",
                                                "stack",
                                                "arrival rate",
                                                "output rate",
                                                "taint",
                                                "finish size"};
  return kNames[static_cast<int>(rule)];
}

std::string describe(const Violation& v) {
  return std::string(rule_name(v.rule)) + " at " + base::hex(v.pc) + ": " + v.text;
}

VerifyReport verify(const Image& image, const base::Progress& progress) {
  VerifyReport report;
  Program program{image, decode_code(image.code), {}, {}};
  program.meets = post_dominators(program.code);
  try {
    check_loops(program);
    explore_regions(image, program, progress, report);
    if (report.main.worst_cycles > 0) check_rates(image, report);
  } catch (const Violation& violation) {
    report.violations.push_back(violation);
  } catch (const Stopped&) {
    report.stopped = true;
  }
  report.accepted = report.violations.empty() && !report.stopped;
  return report;
}

std::string write_report(const VerifyReport& report) {
  const auto number = [](uint64_t n) { return std::to_string(n); };
  std::string out =
      std::string("tile verifier report 1\n") + (report.accepted  ? "accepted\n"
                                                 : report.stopped ? "stopped: nothing is proved\n"
                                                                  : "rejected\n");
  for (const Violation& v : report.violations) out += describe(v) + "\n";
  const std::pair<const char*, const RegionReport*> regions[] = {
      {"init", &report.init}, {"main", &report.main}, {"finish", &report.finish}};
  for (const auto& [name, r] : regions) {
    out += std::string(name) + ": " + number(r->best_cycles) + " to " + number(r->worst_cycles) +
           " cycles, at most " + number(r->worst_bytes) + " bytes out, " + number(r->streamed) +
           " inputs streamed, " + number(r->stack_bytes) + " bytes of stack\n";
  }
  return out + "predicted drops at the declared arrival rate: " +
         base::format_number(100 * report.predicted_drop_share) + " %\n";
}

}  // namespace lento::tile
