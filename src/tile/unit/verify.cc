#include "tile/unit/verify.h"

#include <algorithm>

#include "base/units.h"
#include "tile/unit/control_flow.h"
#include "tile/unit/explore.h"

namespace lento::tile {
namespace {

using riscv::Op;

struct Body {
  uint32_t first = 0, last = 0;  // instruction indices
};

// Hardware loops nest properly, hold no control flow, and nothing jumps between their first and last word.
void check_loops(const std::vector<TileOp>& code) {
  std::vector<Body> bodies;
  for (uint32_t at = 0; at < code.size(); ++at) {
    if (code[at].custom == Custom::Loop || code[at].custom == Custom::LoopImmediate)
      bodies.push_back({at + 1, at + code[at].length});
  }
  for (const Body& body : bodies) {
    int inner = 0;
    for (uint32_t at = body.first; at <= body.last; ++at) {
      if (at >= code.size()) reject(Rule::LoopBody, 4 * (body.first - 1), "the loop's body leaves the code");
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
    for (const Body& body : bodies) {
      if (target >= body.first && target <= body.last)
        reject(Rule::LoopBody, 4 * at, "jump into the body of a hardware loop");
    }
  }
}

void check_finish(const Image& image, const std::vector<TileOp>& code) {
  // The region is 16 words up to the end of the code; it must return or jump before it falls off.
  for (uint32_t at = kFinishEntry / 4; at < code.size(); ++at) {
    if (riscv::is_jump(code[at].base.op)) return;
  }
  if (image.code.size() > kFinishEntry)
    reject(Rule::FinishSize, kFinishEntry, "finish neither returns nor jumps within its 16 instructions");
}

void check_rates(const Image& image, VerifyReport& report) {
  // Streaming runs take an input a cycle while they stream; the others one input a run.
  const RegionReport& m = report.main;
  const double period = static_cast<double>(m.worst_cycles + 1);
  if (m.streamed > 0) {
    // The input that starts main is the first that hist.in takes.
    const double offered = std::max(period / image.arrival_cycles, static_cast<double>(m.streamed));
    report.predicted_drop_share = 1 - static_cast<double>(m.streamed) / offered;
  } else if (period > image.arrival_cycles) {
    const double whole =
        std::max(1.0, static_cast<double>((m.worst_cycles + image.arrival_cycles) / image.arrival_cycles));
    report.predicted_drop_share = 1 - 1 / whole;
  }
  if (report.predicted_drop_share > 0 && !image.drops_declared) {
    report.violations.push_back({Rule::Arrival, image.main_entry,
                                 "main takes up to " + std::to_string(m.worst_cycles) +
                                     " cycles, inputs come every " + std::to_string(image.arrival_cycles) +
                                     ": drops are certain but not declared"});
  }
  const uint64_t shortest = std::max<uint64_t>(m.best_cycles + 1, image.arrival_cycles);
  if (m.worst_bytes * image.output_cycles > uint64_t{image.output_bytes} * shortest) {
    report.violations.push_back({Rule::OutputRate, image.main_entry,
                                 "main may put out " + std::to_string(m.worst_bytes) + " bytes every " +
                                     std::to_string(shortest) + " cycles, declared are " +
                                     std::to_string(image.output_bytes) + " per " +
                                     std::to_string(image.output_cycles)});
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

VerifyReport verify(const Image& image) {
  VerifyReport report;
  const std::vector<TileOp> code = decode_code(image.code);
  const std::vector<uint32_t> meets = post_dominators(code);
  const auto attempt = [&](auto&& work) {
    try {
      work();
    } catch (const Violation& violation) {
      report.violations.push_back(violation);
    }
  };
  attempt([&] { check_loops(code); });
  if (report.violations.empty()) {
    attempt([&] { report.init = explore(image, code, meets, 0, true); });
    attempt([&] {
      report.main = explore(image, code, meets, image.main_entry, false);
      check_rates(image, report);
    });
    if (image.code.size() > kFinishEntry) {
      attempt([&] {
        check_finish(image, code);
        report.finish = explore(image, code, meets, kFinishEntry, false);
      });
    }
  }
  report.accepted = report.violations.empty();
  return report;
}

std::string write_report(const VerifyReport& report) {
  const auto number = [](uint64_t n) { return std::to_string(n); };
  std::string out = std::string("tile verifier report 1\n") + (report.accepted ? "accepted\n" : "rejected\n");
  for (const Violation& v : report.violations)
    out += std::string(rule_name(v.rule)) + " at " + hex(v.pc) + ": " + v.text + "\n";
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
