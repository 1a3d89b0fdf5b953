#include "memory/mine/contention.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include "base/units.h"
#include "memory/mine/contention_patterns.h"

namespace lento::memory {
namespace {

constexpr size_t kShownPatterns = 20;
constexpr size_t kShownLines = 16;
constexpr double kLineShare = 0.1;  // of all excess: what a line must cost to be a finding

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string percent(double share) { return base::format_number(100 * share, 3) + " %"; }

// Bits as "0-3,7".
std::string cpu_list(uint64_t mask) {
  std::string text;
  for (int c = 0; c < 64; ++c) {
    if (!(mask >> c & 1)) continue;
    int last = c;
    while (last < 63 && (mask >> (last + 1) & 1)) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(c) + (last > c ? "-" + std::to_string(last) : "");
    c = last;
  }
  return text;
}

class Report {
 public:
  Report(const ContentionOptions& options, const trace::Symbols* symbols, const Scan& scan,
         const WindowScan& windows, Functions& functions)
      : options_(options), symbols_(symbols), scan_(scan), windows_(windows), functions_(functions) {
    const int cpus = std::max(1, std::popcount(scan.cpus));
    cpu_time_ = std::max(1.0, static_cast<double>(scan.duration()) * cpus);
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
    d.options.emplace_back("support used", percent(used_support_));
    if (loss_ >= options_.least_loss && !options_.paper) {
      add_line_findings();
      add_system_finding();
      add_pattern_findings();
    }
    if (options_.paper) add_paper_findings();
    finding::sort_findings(d.findings);
    d.verdict = verdict();
    add_figures();
    add_folded();
    return std::move(result_);
  }

 private:
  double share_of_excess(uint64_t cycles) const {
    return scan_.excess == 0 ? 0
                             : std::min(1.0, static_cast<double>(cycles) / static_cast<double>(scan_.excess));
  }

  std::string place(uint64_t pc) {
    std::string text = functions_.name(functions_.of(pc)) + " " + hex(pc);
    if (!symbols_) return text;
    for (const trace::SourceFrame& frame : symbols_->frames(pc)) {
      text += " < " + frame.function + " " + frame.file + ":" + std::to_string(frame.line);
    }
    return text;
  }

  std::string line_name(uint64_t line) const {
    const uint64_t first = line * options_.line_bytes;
    std::string name = symbols_ ? symbols_->describe(first) : "";
    for (uint64_t at = first; symbols_ && name.empty() && at < first + options_.line_bytes; at += 4) {
      name = symbols_->describe(at);
    }
    return "line " + hex(first) + (name.empty() ? "" : " (" + name + ")");
  }

  std::string item_name(uint32_t id) const {
    const Items::Item& item = windows_.items.item(id);
    const std::string cpu = "CPU" + std::to_string(item.cpu) + "_";
    switch (item.kind) {
      case Items::Kind::Function:
        return functions_.name(static_cast<uint32_t>(item.value));
      case Items::Kind::CpuFunction:
        return cpu + functions_.name(static_cast<uint32_t>(item.value));
      case Items::Kind::Latency:
        return latency_name(item.value);
      case Items::Kind::CpuLatency:
        return cpu + latency_name(item.value);
      case Items::Kind::Type:
        return to_string(static_cast<trace::AccessType>(item.value));
      case Items::Kind::CpuType:
        return cpu + to_string(static_cast<trace::AccessType>(item.value));
      case Items::Kind::Line:
        return line_name(item.value);
    }
    return "?";
  }

  std::string latency_name(uint64_t bin) const {
    const uint64_t low = bin * options_.bins;
    return "lat_" + std::to_string(low) + "_" + (low >= 250 ? "inf" : std::to_string(low + options_.bins));
  }

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
                       percent(std::min(1.0, static_cast<double>(windows_.covered_cycles) / duration)));
    facts.emplace_back("coverage of events", percent(static_cast<double>(windows_.covered_events) /
                                                     std::max<double>(1, static_cast<double>(scan_.events))));
    facts.emplace_back("cycles lost", std::to_string(scan_.excess) + " (" + percent(loss_) + " of CPU time)");
    auto& notes = result_.diagnosis.notes;
    if (scan_.no_latency > 0) {
      notes.push_back(std::to_string(scan_.no_latency) +
                      " accesses carry no latency and cannot start a window");
    }
    if (!scan_.culprits_known)
      notes.push_back(
          "the trace does not say who delayed whom: cost is latency over the 10th percentile of its access "
          "type");
    if (windows_.keep_every > 1)
      notes.push_back("patterns rest on every " + std::to_string(windows_.keep_every) + "th window");
    if (scan_.lines_dropped > 0)
      notes.push_back("costs of lines beyond the first " + std::to_string(kMostLines) + " were not kept");
  }

  // The exact test of a line: are its accesses high more often than all others?
  double line_p(const HotLine& line) const {
    const uint64_t others = scan_.events - std::min(scan_.events, line.accesses);
    const uint64_t other_high = windows_.high_events - std::min(windows_.high_events, line.high);
    const double tests = static_cast<double>(std::max<size_t>(1, scan_.lines.size()));
    return std::min(1.0, tests * fisher_tail(line.high, line.accesses, other_high, others));
  }

  void add_line_findings() {
    for (const HotLine& line : windows_.hot_lines) {
      const double share = share_of_excess(line.excess);
      const std::string cause = line.cause();
      if (share < kLineShare || cause == "saturation" || cause == "bank or set conflict") continue;
      const double p = line_p(line);
      if (p > options_.alpha) continue;
      finding::Finding f;
      f.subject = line_name(line.line);
      f.category = cause;
      f.score = share;
      f.lost_share = static_cast<double>(line.excess) / cpu_time_;
      f.summary =
          cause + " by " + std::to_string(line.cpus()) + " CPUs: " + percent(share) + " of all lost cycles";
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
                                " writes in " + place(use.pc),
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
    f.subject = cause == "bank or set conflict" ? conflict_subject() : "memory interconnect";
    f.score = (cause == "saturation" ? 0.1 : 1) * share_of_excess(cost);
    f.lost_share = static_cast<double>(cost) / cpu_time_;
    f.summary = percent(share_of_excess(cost)) + " of all lost cycles are " + cause;
    f.evidence.push_back({"cycles charged to it", static_cast<double>(cost), "cycles", "access records"});
    for (size_t i = 0; i < std::min<size_t>(8, windows_.hot_lines.size()); ++i) {
      const HotLine& line = windows_.hot_lines[i];
      f.evidence.push_back(
          {line_name(line.line), static_cast<double>(line.excess), "cycles", "access records"});
    }
    f.next_step = next_step(cause);
    result_.diagnosis.findings.push_back(std::move(f));
  }

  // The address bits that the conflicting lines agree on.
  std::string conflict_subject() const {
    uint64_t differ = 0;
    size_t used = 0;
    for (const HotLine& line : windows_.hot_lines) {
      if (used++ < 8) differ |= (line.line ^ windows_.hot_lines.front().line) * options_.line_bytes;
    }
    if (used < 2 || differ == 0) return "memory banks";
    return "lines " + hex(differ & ~(differ - 1)) + " apart around " +
           line_name(windows_.hot_lines.front().line);
  }

  std::string pattern_text(const Pattern& p, bool ranges) const {
    std::string text;
    for (const uint32_t id : p.items) {
      const Items::Item& item = windows_.items.item(id);
      text += (text.empty() ? "" : ", ") + item_name(id);
      for (const auto& range : p.ranges) {
        if (!ranges || item.kind != Items::Kind::Function || range.function != item.value) continue;
        text += " [" + hex(range.low) + ", " + hex(range.high) + "]";
      }
    }
    return text;
  }

  void add_pattern(const Pattern& p, double score) {
    finding::Finding f;
    f.subject = pattern_text(p, false);
    f.category = "contention pattern";
    f.score = score;
    f.lost_share = static_cast<double>(p.excess) / cpu_time_;
    f.summary = "CPUs " + cpu_list(p.cpus) + " meet in " + pattern_text(p, true) + ": " + percent(p.share) +
                " of windows, lift " + base::format_number(p.lift, 3);
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
      f.evidence.push_back({"first instruction: " + place(range.low), {}, "", "symbols"});
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
      cap = std::min(cap, 0.5 * share_of_excess(cost));
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
      return "No significant contention: " + percent(loss_) + " of CPU time is lost waiting for other CPUs.";
    }
    return findings.front().category + " on " + findings.front().subject + " leads; " + percent(loss_) +
           " of CPU time is lost to contention.";
  }

  void add_figures() {
    auto& figures = result_.diagnosis.figures;
    finding::TableFigure patterns{{"pattern", "CPUs", "support", "lift", "p", "excess cycles", "explained"},
                                  {}};
    for (const Pattern& p : patterns_) {
      patterns.rows.push_back({pattern_text(p, true), cpu_list(p.cpus), percent(p.share),
                               base::format_number(p.lift, 3), base::format_number(p.p, 3),
                               std::to_string(p.excess), std::to_string(p.explained)});
    }
    figures.push_back(
        {"Patterns",
         "Sets that share contention windows, best first; PC ranges come from the supporting windows.",
         patterns});
    figures.push_back(line_table());
    figures.push_back(blame_table());
    add_cpu_blame();
    add_over_time();
    add_pc_frequency();
    add_window_timeline();
  }

  finding::Figure line_table() {
    finding::TableFigure table{
        {"line", "cause", "excess cycles", "offset", "CPU", "reads", "writes", "atomics", "where"}, {}};
    for (size_t i = 0; i < std::min(kShownLines, windows_.hot_lines.size()); ++i) {
      const HotLine& line = windows_.hot_lines[i];
      for (const auto& [where, use] : line.uses) {
        table.rows.push_back({line_name(line.line), line.cause(), std::to_string(use.excess),
                              "+" + std::to_string(where.first), std::to_string(where.second),
                              std::to_string(use.reads), std::to_string(use.writes),
                              std::to_string(use.atomics), place(use.pc)});
        if (table.rows.size() >= 400) break;
      }
    }
    return {"Hottest lines", "Who reads and writes which word of the costliest lines.", table};
  }

  finding::Figure blame_table() const {
    std::vector<std::pair<uint64_t, std::pair<uint32_t, uint32_t>>> pairs;
    for (const auto& [pair, blame] : scan_.function_blame) pairs.push_back({blame.cycles, pair});
    std::sort(pairs.rbegin(), pairs.rend());
    finding::TableFigure table{{"waits", "for", "cycles", "share"}, {}};
    for (size_t i = 0; i < std::min<size_t>(20, pairs.size()); ++i) {
      const auto& [cycles, pair] = pairs[i];
      table.rows.push_back({functions_.name(pair.first), functions_.name(pair.second), std::to_string(cycles),
                            percent(share_of_excess(cycles))});
    }
    return {"Who delays whom",
            "Functions by cycles that one waited for the other; empty when the trace does not know.", table};
  }

  void add_cpu_blame() {
    if (scan_.cpu_blame.empty()) return;
    finding::HeatMapFigure map;
    map.x_name = "delayed by CPU";
    map.value_name = "cycles";
    for (int c = 0; c < kMostCpus; ++c) {
      if (!(scan_.cpus >> c & 1)) continue;
      map.rows.push_back("CPU " + std::to_string(c));
      map.columns.push_back(c);
    }
    for (const double victim : map.columns) {
      for (const double culprit : map.columns) {
        const auto at = scan_.cpu_blame.find({static_cast<uint32_t>(victim), static_cast<uint32_t>(culprit)});
        map.values.push_back(at == scan_.cpu_blame.end() ? 0 : static_cast<double>(at->second.cycles));
      }
    }
    result_.diagnosis.figures.push_back(
        {"Blame matrix", "Row: the CPU that waits; column: the CPU it waits for.", map});
  }

  void add_over_time() {
    constexpr size_t kBins = 200;
    finding::SeriesFigure series;
    series.x_name = "cycle";
    series.y_name = "excess cycles in windows";
    finding::SeriesFigure::Line line{"excess", {}, {}, true, false};
    std::vector<double> sums(kBins);
    const double width = std::max(1.0, static_cast<double>(scan_.duration()) / kBins);
    for (const WindowFacts& w : windows_.windows) {
      const auto bin = static_cast<size_t>(static_cast<double>(w.seed - scan_.first_cycle) / width);
      sums[std::min(bin, kBins - 1)] += static_cast<double>(w.excess);
    }
    for (size_t i = 0; i < kBins; ++i) {
      line.x.push_back(static_cast<double>(scan_.first_cycle) + width * (static_cast<double>(i) + 0.5));
      line.y.push_back(sums[i]);
    }
    series.lines.push_back(line);
    result_.diagnosis.figures.push_back(
        {"Contention over time", "Cycles lost inside contention windows.", series});
  }

  void add_pc_frequency() {
    finding::SeriesFigure series;
    series.x_name = "program counter";
    series.y_name = "windows";
    std::vector<std::pair<uint64_t, uint64_t>> top;
    for (const auto& [pc, n] : windows_.pc_windows) top.emplace_back(n, pc);
    std::sort(top.rbegin(), top.rend());
    top.resize(std::min<size_t>(top.size(), 400));
    std::sort(top.begin(), top.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    finding::SeriesFigure::Line line{"windows with the instruction", {}, {}, false, false};
    for (const auto& [n, pc] : top)
      line.x.push_back(static_cast<double>(pc)), line.y.push_back(static_cast<double>(n));
    series.lines.push_back(line);
    result_.diagnosis.figures.push_back(
        {"Frequency by instruction",
         "In how many windows each of the 400 most frequent instructions appears.", series});
  }

  void add_window_timeline() {
    finding::TimelineFigure timeline;
    timeline.x_name = "cycle";
    for (size_t i = 0; i < std::min<size_t>(200, windows_.windows.size()); ++i) {
      const WindowFacts& w = windows_.windows[i];
      const double half = static_cast<double>(options_.window) / 2, seed = static_cast<double>(w.seed);
      timeline.spans.push_back(
          {"windows", seed - half, seed + half, std::to_string(w.excess) + " cycles lost", w.excess > 0});
    }
    result_.diagnosis.figures.push_back({"Contention windows", "The first 200.", timeline});
  }

  void add_folded() {
    for (const auto& [pair, blame] : scan_.function_blame) {
      if (blame.cycles == 0) continue;
      result_.folded += functions_.name(pair.first) + ";waits for " + functions_.name(pair.second) + " " +
                        std::to_string(blame.cycles) + "\n";
    }
  }

  const ContentionOptions& options_;
  const trace::Symbols* symbols_;
  const Scan& scan_;
  const WindowScan& windows_;
  Functions& functions_;
  ContentionResult result_;
  std::vector<Pattern> patterns_;
  double cpu_time_ = 1, loss_ = 0, used_support_ = 0;
};

}  // namespace

ContentionResult diagnose_contention(const OpenTrace& open, const trace::Symbols* symbols,
                                     const ContentionOptions& options) {
  Functions functions(symbols);
  base::ReadReport report, again;
  const Scan scan = scan_trace(open, options, functions, report);
  const WindowScan windows = scan_windows(open, options, scan, functions, again);
  ContentionResult result = Report(options, symbols, scan, windows, functions).run();
  report.taken = std::max(report.taken, scan.events);
  finding::add_read_report(result.diagnosis, report);
  return result;
}

}  // namespace lento::memory
