#include "memory/mine/contention.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/units.h"
#include "memory/mine/contention_report.h"

namespace lento::memory {
namespace {

constexpr size_t kShownPatterns = 20;
constexpr double kLineShare = 0.1;  // of all excess: what a line must cost to be a finding

class Report {
 public:
  Report(const ContentionOptions& options, const trace::Symbols* symbols, const Scan& scan,
         const WindowScan& windows, Functions& functions)
      : options_(options), scan_(scan), windows_(windows), names_(options, symbols, windows, functions) {
    const int cpus = std::max(1, std::popcount(scan.cpus));
    cpu_time_ =
        std::max(1.0, windows.sliced ? scan.sampled_cycles() : static_cast<double>(scan.duration()) * cpus);
    loss_ = static_cast<double>(scan.excess) / cpu_time_;
  }

  ContentionResult run() {
    finding::Diagnosis& d = result_.diagnosis;
    d.scale = "memory";
    d.title = "Memory contention";
    d.seed = options_.seed;
    add_facts();
    patterns_ = windows_.windows.empty()
                    ? std::vector<Pattern>{}
                    : find_patterns(windows_, scan_, options_, kShownPatterns, used_support_);
    d.options.emplace_back("support used", base::percent(used_support_));
    if (loss_ >= options_.least_loss && !options_.paper) {
      add_line_findings();
      add_system_finding();
      add_pattern_findings();
    }
    if (options_.paper) add_paper_findings();
    finding::sort_findings(d.findings);
    d.verdict = verdict();
    add_contention_figures({options_, scan_, windows_, names_, patterns_}, d.figures);
    add_folded();
    return std::move(result_);
  }

 private:
  void add_facts() {
    auto& facts = result_.diagnosis.facts;
    const auto number = [](double v) { return base::format_number(v, 6); };
    facts.emplace_back("accesses", std::to_string(scan_.events));
    facts.emplace_back("CPUs", cpu_list(scan_.cpus));
    facts.emplace_back("non-trivial accesses", std::to_string(scan_.latencies.total()));
    facts.emplace_back("high-latency threshold", number(windows_.threshold) + " cycles");
    facts.emplace_back("third quartile (nearest rank / linear / grouped)",
                       number(scan_.latencies.quantile(0.75, QuantileRule::NearestRank)) + " / " +
                           number(scan_.latencies.quantile(0.75, QuantileRule::Linear)) + " / " +
                           number(scan_.latencies.quantile(0.75, QuantileRule::Grouped, options_.bins)));
    facts.emplace_back("contention windows", std::to_string(windows_.window_count));
    const double duration = std::max<double>(1, static_cast<double>(scan_.duration()));
    facts.emplace_back("coverage of time",
                       base::percent(std::min(1.0, static_cast<double>(windows_.covered_cycles) / duration)));
    facts.emplace_back("coverage of events",
                       base::percent(static_cast<double>(windows_.covered_events) /
                                     std::max<double>(1, static_cast<double>(scan_.events))));
    facts.emplace_back("cycles lost",
                       std::to_string(scan_.excess) + " (" + base::percent(loss_) + of_what() + ")");
    auto& notes = result_.diagnosis.notes;
    if (scan_.no_latency > 0) {
      notes.push_back(std::to_string(scan_.no_latency) +
                      " accesses carry no latency and cannot start a window");
    }
    if (!scan_.culprits_known)
      notes.push_back(
          "the trace does not say who delayed whom: cost is latency over the 10th percentile of its access "
          "type");
    if (windows_.sliced)
      notes.push_back(
          "the trace is sampled: a window is the samples of one slice of time on one object, the base rate "
          "are the groups without a high latency");
    if (windows_.keep_every > 1)
      notes.push_back("patterns rest on every " + std::to_string(windows_.keep_every) + "th window");
    if (scan_.lines_dropped > 0)
      notes.push_back("costs of lines beyond the first " + std::to_string(kMostLines) + " were not kept");
  }

  // Samples cannot be set against the time between them.
  std::string of_what() const { return windows_.sliced ? " of the sampled latency" : " of CPU time"; }

  // The exact test of a line: are its accesses high more often than all others?
  double line_p(const HotLine& line) const {
    const uint64_t others = scan_.events - std::min(scan_.events, line.accesses);
    const uint64_t other_high = windows_.high_events - std::min(windows_.high_events, line.high);
    const double tests = static_cast<double>(std::max<size_t>(1, scan_.lines.size()));
    return std::min(1.0, tests * fisher_tail(line.high, line.accesses, other_high, others));
  }

  void add_line_findings() {
    for (const HotLine& line : windows_.hot_lines) {
      const double share = scan_.share_of_excess(line.excess);
      const std::string cause = line.cause();
      if (share < kLineShare || cause == "saturation" || cause == "bank or set conflict") continue;
      const double p = line_p(line);
      if (p > options_.alpha) continue;
      finding::Finding f;
      f.subject = names_.line(line.line);
      f.category = cause;
      f.score = share;
      f.lost_share = static_cast<double>(line.excess) / cpu_time_;
      f.summary = cause + " by " + std::to_string(line.cpus()) + " CPUs: " + base::percent(share) +
                  " of all lost cycles";
      f.evidence.push_back(
          {"cycles lost on this line", static_cast<double>(line.excess), "cycles", "access records"});
      f.evidence.push_back({"share of accesses by the main CPU of each word (1: no word is shared)",
                            line.private_share(), "", "access records"});
      f.evidence.push_back({"load-linked, store-conditional and atomic accesses",
                            static_cast<double>(line.atomics), "", "access records"});
      f.evidence.push_back(
          {"probability of as many high latencies by chance, times the lines tested", p, "", "exact test"});
      add_users(line, f);
      f.next_step = next_step(cause);
      result_.diagnosis.findings.push_back(std::move(f));
    }
  }

  void add_users(const HotLine& line, finding::Finding& f) {
    std::vector<std::pair<uint64_t, const std::pair<const std::pair<uint32_t, uint32_t>, HotLine::Use>*>>
        users;
    for (const auto& entry : line.uses) users.emplace_back(entry.second.excess, &entry);
    std::stable_sort(users.begin(), users.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (size_t i = 0; i < std::min<size_t>(8, users.size()); ++i) {
      const auto& [where, use] = *users[i].second;
      f.evidence.push_back({"CPU " + std::to_string(where.second) + " at +" + std::to_string(where.first) +
                                ": " + std::to_string(use.reads) + " reads, " + std::to_string(use.writes) +
                                " writes in " + names_.place(use.pc),
                            static_cast<double>(use.excess), "cycles", "access records"});
    }
  }

  static std::string next_step(const std::string& cause) {
    if (cause == "false sharing") return "give each CPU's data a line of its own (pad or align the struct)";
    if (cause == "lock") return "hold the lock for less work, split it, or back off between tries";
    if (cause == "true sharing") return "let each CPU work on its own copy and combine at the end";
    if (cause == "bank or set conflict") return "spread the arrays over banks: pad their stride";
    if (cause == "fetch conflict") return "make the hot code fit the instruction cache";
    return "move fewer bytes at the same time, or add bandwidth";
  }

  // What the whole memory system is short of, when no line explains it.
  void add_system_finding() {
    uint64_t on_lines = 0;
    for (const finding::Finding& f : result_.diagnosis.findings)
      on_lines += static_cast<uint64_t>(f.score * static_cast<double>(scan_.excess));
    const uint64_t rest = scan_.excess - std::min(scan_.excess, on_lines);
    if (static_cast<double>(rest) < options_.least_loss * cpu_time_ || !scan_.culprits_known) return;
    const auto cycles = [&](trace::DelayCause c) { return scan_.cycles_by_cause[static_cast<size_t>(c)]; };
    const uint64_t bank = cycles(trace::DelayCause::Bank), fetch = scan_.excess_by_type[0];
    std::string cause = "saturation";
    uint64_t cost =
        std::min(rest, cycles(trace::DelayCause::Interconnect) + cycles(trace::DelayCause::WriteBuffer));
    if (fetch * 2 > scan_.excess) cause = "fetch conflict", cost = fetch;
    if (bank * 2 > scan_.excess) cause = "bank or set conflict", cost = bank;
    if (static_cast<double>(cost) < options_.least_loss * cpu_time_) return;
    finding::Finding f;
    f.category = cause;
    const bool banks = cause == "bank or set conflict";
    const Conflict where = banks ? conflict() : Conflict{};
    f.subject = banks ? conflict_subject(where) : "memory interconnect";
    f.score = (cause == "saturation" ? 0.1 : 1) * scan_.share_of_excess(cost);
    f.lost_share = static_cast<double>(cost) / cpu_time_;
    f.summary = base::percent(scan_.share_of_excess(cost)) + " of all lost cycles are " + cause;
    f.evidence.push_back({"cycles charged to it", static_cast<double>(cost), "cycles", "access records"});
    if (where.stride > 0)
      f.evidence.push_back({"distance of the lines that meet in one bank", static_cast<double>(where.stride),
                            "bytes", "access records"});
    size_t shown = 0;
    for (const HotLine& line : windows_.hot_lines) {
      if (where.stride > 0 && line.line * options_.line_bytes % where.stride != where.residue) continue;
      if (++shown > 8) break;
      f.evidence.push_back(
          {names_.line(line.line), static_cast<double>(line.excess), "cycles", "access records"});
    }
    f.next_step = next_step(cause);
    result_.diagnosis.findings.push_back(std::move(f));
  }

  // The lines that lost most to banks lie a power of two apart: the largest for which one residue still holds
  // 90 % of the loss.
  struct Conflict {
    uint64_t stride = 0, residue = 0;  // bytes; stride 0: no such pattern
    uint64_t lines = 0, low = UINT64_MAX, high = 0;
  };
  Conflict conflict() const {
    Conflict best;
    const uint64_t line_bytes = options_.line_bytes;
    for (uint64_t step = 2; step <= 4096; step *= 2) {
      std::vector<uint64_t> by_residue(step);
      uint64_t all = 0;
      for (const auto& [line, cost] : scan_.lines) by_residue[line % step] += cost.bank, all += cost.bank;
      const auto most = std::max_element(by_residue.begin(), by_residue.end());
      if (all == 0 || static_cast<double>(*most) < 0.9 * static_cast<double>(all)) break;
      best.stride = step * line_bytes;
      best.residue = static_cast<uint64_t>(most - by_residue.begin()) * line_bytes;
    }
    for (const auto& [line, cost] : scan_.lines) {
      if (best.stride == 0 || cost.bank == 0 || line * line_bytes % best.stride != best.residue) continue;
      ++best.lines;
      best.low = std::min(best.low, line), best.high = std::max(best.high, line);
    }
    return best;
  }

  std::string conflict_subject(const Conflict& c) const {
    if (c.stride == 0) return "memory banks";
    return std::to_string(c.lines) + " lines " + base::hex(c.stride) + " apart, from " + names_.line(c.low) +
           " to " + names_.line(c.high);
  }

  void add_pattern(const Pattern& p, double score) {
    finding::Finding f;
    f.subject = names_.pattern(p.items, {});
    f.category = "contention pattern";
    f.score = score;
    f.lost_share = static_cast<double>(p.excess) / cpu_time_;
    f.summary = "CPUs " + cpu_list(p.cpus) + " meet in " + names_.pattern(p.items, p.ranges) + ": " +
                base::percent(p.share) + " of windows, lift " + base::format_number(p.lift, 3);
    f.evidence.push_back({"support", static_cast<double>(p.support), "windows", "contention windows"});
    f.evidence.push_back({"lift against control windows", p.lift, "x", "control windows"});
    f.evidence.push_back({"probability by chance, times the patterns tested", p.p, "", "exact test"});
    f.evidence.push_back(
        {"cycles lost in the supporting windows", static_cast<double>(p.excess), "cycles", "access records"});
    if (scan_.culprits_known) {
      f.evidence.push_back({"cycles its functions cost one another", static_cast<double>(p.explained),
                            "cycles", "access records"});
    }
    for (const auto& range : p.ranges)
      f.evidence.push_back({"first instruction: " + names_.place(range.low), {}, "", "symbols"});
    f.next_step = "keep these functions from running at the same time, or lower what they move";
    result_.diagnosis.findings.push_back(std::move(f));
  }

  void add_pattern_findings() {
    size_t shown = 0;
    double cap = 1;  // scores fall with the rank
    for (const Pattern& p : patterns_) {
      const uint64_t cost = scan_.culprits_known ? p.explained : p.excess;
      const bool costly =
          scan_.culprits_known && static_cast<double>(cost) >= options_.least_loss * cpu_time_;
      if (std::popcount(p.cpus) < 2 || (!costly && p.p > options_.alpha)) continue;
      // Ranked below causes, which say why; saturation says least and comes after.
      cap = std::min(cap, 0.5 * scan_.share_of_excess(cost));
      add_pattern(p, cap);
      if (++shown == 5) return;
    }
  }

  void add_paper_findings() {
    for (size_t i = 0; i < std::min<size_t>(5, patterns_.size()); ++i)
      add_pattern(patterns_[i], patterns_[i].share);
  }

  std::string verdict() const {
    if (scan_.events == 0) return "The trace holds no accesses.";
    if (scan_.latencies.total() == 0) return "No access carries a latency beyond a hit: nothing to judge.";
    const auto& findings = result_.diagnosis.findings;
    if (findings.empty()) {
      return "No significant contention: " + base::percent(loss_) + of_what() +
             " is lost waiting for other CPUs.";
    }
    return findings.front().category + " on " + findings.front().subject + " leads; " + base::percent(loss_) +
           of_what() + " is lost to contention.";
  }

  void add_folded() {
    for (const auto& [pair, blame] : scan_.function_blame) {
      if (blame.cycles == 0) continue;
      result_.folded += names_.function(pair.first) + ";waits for " + names_.function(pair.second) + " " +
                        std::to_string(blame.cycles) + "\n";
    }
  }

  const ContentionOptions& options_;
  const Scan& scan_;
  const WindowScan& windows_;
  Names names_;
  ContentionResult result_;
  std::vector<Pattern> patterns_;
  double cpu_time_ = 1;  // all that could be lost; of sampled traces, their latency
  double loss_ = 0, used_support_ = 0;
};

}  // namespace

ContentionResult diagnose_contention(const OpenTrace& open, const trace::Symbols* symbols,
                                     const ContentionOptions& options) {
  Functions functions(symbols);
  base::ReadReport report, again;
  const Scan scan = scan_trace(open, options, functions, report);
  const WindowScan windows = scan_windows(open, options, scan, functions, again);
  ContentionResult result = Report(options, symbols, scan, windows, functions).run();
  base::ReadReport& read =
      report.taken + report.skipped > 0 ? report : again;  // a kept pass is not read again
  read.taken = std::max(read.taken, scan.events);
  finding::add_read_report(result.diagnosis, read);
  return result;
}

}  // namespace lento::memory
