// Writes the texts of a verification: names of the rules, advice for each, and the report whose digest is
// part of approvals (write_report).
#include <span>

#include "base/units.h"
#include "tile/unit/verify/verify.h"

namespace lento::tile {
namespace {

// Returns the line of the report on dropped inputs: the largest share that is possible and the share that is
// expected, in percent, the latter also for each length of the input queue.
std::string write_drops(const VerifyReport& report) {
  const auto percent = [](double share) {
    return base::format_number(100 * share, 3) + " %";
  };
  std::string out = "drops at the declared arrival rate: at most " + percent(report.predicted_drop_share);
  if (report.predicted_drop_share == 0)
    return out + "\n";
  out += ", expected " + percent(report.expected_drops[0].share);
  for (const auto& [queue, share] : std::span(report.expected_drops).subspan(1))
    out += ", with a queue of " + std::to_string(queue) + " " + percent(share);
  return out + "\n";
}

// The name of a rule, and advice for the author of a program that breaks it.
struct RuleText {
  std::string_view name;
  std::string_view way_out;
};

constexpr std::string_view kControlFlow = "let every path end by a return, and no jump enter a hardware loop";
constexpr std::string_view kBounds =
    "check the index against a constant before (ypu_opaque(i) first where the compiler removes the check), "
    "or mask it: a[i & 15]";

// The texts of the rules, in the order of the enumeration Rule.
constexpr RuleText kRules[] = {
    {"illegal instruction", "compile for RV32I with 'lento tile build'"},
    {"control flow", kControlFlow},
    {"indirect jump", "call through a pointer that is one of at most four functions, or use if and else"},
    {"hardware loop", kControlFlow},
    {"recursion", "write it as a loop"},
    {"load bounds", kBounds},
    {"store bounds", kBounds},
    {"uninitialised register", "set it on every path"},
    {"unbounded loop",
     "give the loop a counter of its own that ends at a constant: for (n = 0; n < 64 && ...; ++n)"},
    {"stack", "put the stack pointer back; smaller frames"},
    {"arrival rate", "a shorter main, a longer YPU_ARRIVAL, or YPU_DROPS_EXPECTED"},
    {"output rate",
     "declare more with YPU_OUTPUT, or send a summary every N inputs by a counter that starts anew: "
     "if (++n == 256) { n = 0; ... }"},
    {"taint", "an image without soft logic may not write its registers"},
    {"finish size", "YPU_FINISH returns or calls within 16 instructions"}};

}  // namespace

std::string_view rule_name(Rule rule) {
  return kRules[size_t(rule)].name;
}

std::string_view way_out(Rule rule) {
  return kRules[size_t(rule)].way_out;
}

std::string describe(const Violation& v, const NamePlace& name) {
  constexpr size_t kShown = 6;  // last branches of the path that are shown
  const auto place = [&](uint32_t pc) {
    return name ? name(pc) : base::hex(pc);
  };
  std::string out = std::string(rule_name(v.rule)) + " at " + place(v.pc) + ": " + v.text;
  const size_t first = v.path.size() > kShown ? v.path.size() - kShown : 0;
  for (size_t i = first; i < v.path.size(); ++i) {
    out += i == first ? (first > 0 ? "; by way of ... " : "; by way of ") : ", ";
    out += place(v.path[i].pc) + (v.path[i].taken ? " (taken)" : " (not taken)");
  }
  return out + "; " + std::string(way_out(v.rule));
}

std::string write_report(const VerifyReport& report) {
  const auto number = [](uint64_t n) {
    return std::to_string(n);
  };
  std::string out =
      std::string("tile verifier report 4\n") + (report.accepted  ? "accepted\n"
                                                 : report.stopped ? "stopped: nothing is proved\n"
                                                                  : "rejected\n");
  for (const Violation& v : report.violations)
    out += describe(v) + "\n";
  const std::pair<const char*, const RegionReport*> regions[] = {
      {"init", &report.init},
      {"main", &report.main},
      {"finish", &report.finish}};
  for (const auto& [name, r] : regions) {
    if (r->steps == 0) {
      out += std::string(name) + ": not examined\n";
      continue;
    }
    out += std::string(name) + ": " + number(r->best_cycles) + " to " + number(r->worst_cycles) +
           " cycles, at most " + number(r->worst_bytes) + " bytes out, " +
           (r->bytes_per_run < double(r->worst_bytes)
                ? base::format_number(r->bytes_per_run) + " a run over many, "
                : "") +
           (r->window_bytes > 0
                ? base::format_number(r->window_bytes) + " in each " + number(r->window_cycles) + " cycles, "
                : "") +
           number(r->streamed) + " inputs streamed, " + number(r->stack_bytes) + " bytes of stack\n";
  }
  return report.main.steps > 0 ? out + write_drops(report) : out;
}

}  // namespace lento::tile
