// Diagnoses memory contention: two passes over the trace (contention_scan.h), causes and patterns, then the
// report. Most findings come from causes (contention_causes.h). Patterns of functions add findings only for
// cycles that no cause explains. The outcome and its reasons follow from what the trace recorded. Source:
// Lagraa, Termier, Petrot. Cost: two passes over the trace, up to four when records name no culprits.
#include "memory/mine/contention.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/units.h"
#include "memory/mine/contention_causes.h"
#include "memory/mine/contention_report.h"
#include "memory/mine/contention_verdict.h"
#include "memory/mine/line_size.h"
#include "memory/mine/sampled.h"

namespace lento::memory {
namespace {

using base::ReadReport;
using program::TraceFacts;

std::string number(double v) {
  return base::format_number(v, 6);
}

class Report {
 public:
  Report(
      const ContentionOptions& options,
      const TraceFacts& facts,
      const Scan& scan,
      const WindowScan& windows,
      Functions& functions)
      : options_(options),
        facts_(facts),
        scan_(scan),
        windows_(windows),
        names_(options, facts.names, windows, functions),
        verdict_(options, facts, scan, windows),
        line_size_(find_line_size(options, facts, windows)) {
    for (const HotBlock& block : windows.hot) {
      for (Line& line : lines_of(block, line_size_.bytes, !scan.sampled))
        lines_.push_back(std::move(line));
    }
    std::ranges::stable_sort(lines_, [](const Line& a, const Line& b) {
      return a.excess > b.excess;
    });
  }

  // Runs the steps of the analysis after the scans and returns the diagnosis.
  ContentionResult run(const ReadReport& read) {
    finding::Diagnosis& d = result_.diagnosis;
    d.scale = "memory";
    d.title = "Memory contention";
    d.seed = options_.seed;
    patterns_ = windows_.windows.empty()
                    ? std::vector<Pattern>{}
                    : find_patterns(windows_, scan_, options_, tuning::kShownPatterns, used_support_);
    if (options_.paper) {
      add_paper_findings();
    } else {
      ContentionOptions used = options_;
      used.line_bytes = line_size_.bytes;
      causes_ = find_causes({scan_, windows_, lines_}, names_, used, verdict_.working_time());
      d.findings = causes_.findings;
      add_pattern_findings();
    }
    add_facts();
    d.options.emplace_back("support used", percent(used_support_));
    finding::sort_findings(d.findings);
    conclude(read);
    add_contention_figures({options_, scan_, windows_, names_, patterns_, lines_}, d.figures);
    add_folded();
    result_.objects = causes_.objects;
    return std::move(result_);
  }

 private:
  void add_facts() {
    auto& facts = result_.diagnosis.facts;
    facts.emplace_back("accesses", std::to_string(scan_.events));
    facts.emplace_back("CPUs", scan_.cpu_set().text());
    facts.emplace_back("line size", std::to_string(line_size_.bytes) + " bytes (" + line_size_.origin + ")");
    facts.emplace_back("non-trivial accesses", std::to_string(scan_.latencies.total()));
    facts.emplace_back("high-latency threshold", number(windows_.threshold) + " cycles");
    facts.emplace_back(
        "third quartile (nearest rank / linear / grouped)",
        number(scan_.latencies.quantile(0.75, QuantileRule::NearestRank)) + " / " +
            number(scan_.latencies.quantile(0.75, QuantileRule::Linear)) + " / " +
            number(scan_.latencies.quantile(0.75, QuantileRule::Grouped, options_.bins)));
    facts.emplace_back("contention windows", std::to_string(windows_.window_count));
    const double duration = std::max<double>(1, double(scan_.duration()));
    facts.emplace_back(
        "coverage of time",
        percent(std::min(1.0, double(windows_.covered_cycles) / duration)));
    facts.emplace_back(
        "coverage of events",
        percent(double(windows_.covered_events) / std::max<double>(1, double(scan_.events))));
    facts.emplace_back(
        "cycles lost to what was found",
        std::to_string(found_cycles()) + " (" + percent(verdict_.share_of_time(double(found_cycles()))) +
            verdict_.unit_of_loss() + ")");
    if (!scan_.culprits_known)
      facts.emplace_back(
          "cycles above the least latency of their kind, all reasons",
          std::to_string(scan_.excess));
    add_most_sampled("code", sampled_code(scan_, names_));
    add_most_sampled("data", sampled_variables(scan_, names_));
    add_notes();
  }

  // Adds the largest share of sampled latency as a fact.
  void add_most_sampled(const std::string& what, const std::vector<SampledShare>& shares) {
    if (shares.empty() || scan_.latency_sum == 0)
      return;
    const SampledShare& most = shares.front();
    result_.diagnosis.facts.emplace_back(
        "most sampled latency, " + what,
        most.name + " (" + percent(double(most.latency) / double(scan_.latency_sum)) + ", " +
            std::to_string(most.samples) + " samples)");
  }

  void add_notes() {
    auto& notes = result_.diagnosis.notes;
    if (scan_.set_aside > 0)
      notes.push_back(
          std::to_string(scan_.set_aside) + " of " + std::to_string(scan_.events + scan_.set_aside) +
          " accesses set aside: their times lie far from all others, which are cycles " +
          std::to_string(scan_.first_cycle) + " to " + std::to_string(scan_.last_cycle));
    if (scan_.no_latency > 0)
      notes.push_back(
          std::to_string(scan_.no_latency) + " accesses carry no latency and cannot start a window");
    if (!scan_.culprits_known)
      notes.push_back(
          "the trace does not say who delayed whom: cost is latency over the 10th percentile of its access "
          "type, or of the level that answered");
    if (windows_.sliced)
      notes.push_back(
          "the trace is sampled: a window is the samples of one slice of time on one object, the base rate "
          "are the groups without a high latency");
    if (windows_.keep_every > 1)
      notes.push_back("patterns rest on one window in " + std::to_string(windows_.keep_every));
    if (scan_.blocks_dropped > 0)
      notes.push_back("costs of blocks beyond the first " + std::to_string(kMostLines) + " were not kept");
    if (windows_.uses_dropped > 0)
      notes.push_back(std::to_string(windows_.uses_dropped) + " accesses to hot lines were not told apart");
    if (facts_.latency_unit != "cycles")
      notes.push_back("latencies are in " + facts_.latency_unit + ", and so is what is called cycles here");
    for (const std::string& note : causes_.notes)
      notes.push_back(note);
    add_other_sizes();
  }

  // Notes for each line size how many cycles would be lost on contended lines, so that a reader sees whether
  // another size would help. perf c2c does not show that.
  void add_other_sizes() {
    std::string text;
    for (const auto& [bytes, cycles] : line_size_.explained)
      text += (text.empty() ? "" : ", ") + std::to_string(bytes) + " bytes: " + std::to_string(cycles);
    const bool any = std::ranges::any_of(line_size_.explained, [](const auto& e) {
      return e.second > 0;
    });
    if (any)
      result_.diagnosis.notes.push_back("cycles on lines that threads fight over, by line size: " + text);
  }

  uint64_t found_cycles() const {
    return causes_.found_cycles + by_patterns_;
  }
  // Adds a contention pattern as a finding. `cycles` are the cycles beyond the expected latency.
  void add_pattern(const Pattern& p, double score, uint64_t cycles) {
    finding::Finding f;
    f.subject = names_.pattern(p.items, {});
    f.category = "contention pattern";
    f.score = score;
    f.lost_share = std::min(1.0, double(cycles) / verdict_.working_time());
    f.summary = "CPUs " + p.cpus.text() + " meet in " + names_.pattern(p.items, p.ranges) + ": " +
                percent(p.share) + " of windows, " +
                (p.lift > 0 ? "lift " + base::format_number(p.lift, 3) : "never in control windows");
    f.evidence.push_back({"support", double(p.support), "windows", "contention windows"});
    f.evidence.push_back({"lift against control windows", p.lift, "x", "control windows"});
    f.evidence.push_back({"probability by chance, times the patterns tested", p.p, "", "exact test"});
    f.evidence.push_back(
        {"cycles lost in the supporting windows", double(p.excess), "cycles", "access records"});
    if (scan_.culprits_known) {
      f.evidence.push_back(
          {"cycles its functions cost one another", double(p.explained), "cycles", "access records"});
    }
    for (const auto& range : p.ranges)
      f.evidence.push_back(
          {"first instruction: " + names_.place(range.process, range.low), {}, "", "symbols"});
    f.next_step = "keep these functions from running at the same time, or lower what they move";
    result_.diagnosis.findings.push_back(std::move(f));
  }

  // Adds findings for functions that share windows more often than by chance, where no cause explains the
  // loss. A pattern is charged only with cycles that no finding holds yet.
  void add_pattern_findings() {
    if (!scan_.culprits_known)
      return;
    uint64_t left = causes_.contended_left - std::min(causes_.contended_left, causes_.handed_on);
    size_t shown = 0;
    for (const Pattern& p : patterns_) {
      const uint64_t cost = std::min(left, p.explained);
      if (double(cost) < options_.least_loss * verdict_.working_time())
        continue;
      // A pattern that no control window shows has no lift. The exact test then decides alone.
      const bool usual = p.lift > 0 && p.lift < tuning::kLeastLift;
      if (p.cpus.count() < 2 || p.p > options_.alpha || usual)
        continue;
      left -= cost;
      by_patterns_ += cost;
      add_pattern(p, 0.5 * double(cost) / double(std::max<uint64_t>(1, scan_.excess)), cost);
      if (++shown == tuning::kPatternFindings)
        return;
    }
  }

  void add_paper_findings() {
    for (size_t i = 0; i < std::min(tuning::kPatternFindings, patterns_.size()); ++i)
      add_pattern(patterns_[i], patterns_[i].share, patterns_[i].excess);
  }

  void conclude(const ReadReport& read) {
    finding::Diagnosis& d = result_.diagnosis;
    const std::string what = verdict_.covered(read, named_);
    if (const auto missing = verdict_.missing(read, !d.findings.empty(), causes_.handed_on))
      return finding::cannot_judge(d, missing->reason, missing->remedy, what);
    d.verdict = verdict_.sentence(d.findings, found_cycles(), causes_.handed_on);
    finding::judged(d, what);
  }

  // Appends the waits between functions in the folded format of flame graphs.
  void add_folded() {
    for (const auto& [pair, blame] : scan_.function_blame) {
      if (blame.cycles == 0)
        continue;
      result_.folded += names_.function(pair.first) + ";waits for " + names_.function(pair.second) + " " +
                        std::to_string(blame.cycles) + "\n";
    }
  }

 public:
  // Sets how many code addresses were looked up and named, before the report looks up more.
  void set_named(uint64_t asked, uint64_t named) {
    if (asked > 0)
      named_ = double(named) / double(asked);
  }

 private:
  const ContentionOptions& options_;
  const TraceFacts& facts_;
  const Scan& scan_;
  const WindowScan& windows_;
  ContentionNames names_;
  ContentionResult result_;
  std::vector<Pattern> patterns_;
  ContentionVerdict verdict_;
  LineSize line_size_;
  std::vector<Line> lines_;  // of the hot blocks, costliest first
  Causes causes_;
  uint64_t by_patterns_ = 0;
  double used_support_ = 0;
  std::optional<double> named_;  // share of the code addresses
};

// Throws base::Error when the filter excludes every access, because that is a mistake and not a calm program.
void check_filter(const OpenTrace& open, const ContentionOptions& options, const Scan& scan) {
  const AccessFilter& f = options.filter;
  const bool filtered =
      !f.cpus.empty() || !f.function.empty() || f.first_cycle > 0 || f.last_cycle < UINT64_MAX;
  if (scan.events > 0 || !filtered || options.progress.stopped())
    return;
  CpuSet there;
  uint64_t first = UINT64_MAX;
  uint64_t last = 0;
  uint64_t all = 0;
  ReadReport report;
  const auto source = open(report);
  for (auto batch = source->next(); !batch.empty(); batch = source->next()) {
    for (const AccessRecord& r : batch) {
      there.add(r.cpu);
      first = std::min(first, r.cycle);
      last = std::max(last, r.cycle);
      ++all;
    }
  }
  if (all == 0)
    return;
  throw base::Error(
      {},
      "none of the " + std::to_string(all) + " accesses passes the filter",
      "the trace holds CPUs " + there.text() + " and cycles " + std::to_string(first) + " to " +
          std::to_string(last) +
          (f.function.empty() ? ""
                              : "; --function takes a name as the report prints it, and found none in '" +
                                    f.function + "'"));
}

// Excludes a few accesses whose time stamps are far outside the span of the others from both passes. One such
// access would stretch the run until every contention window is a negligible share of it.
void set_aside_far_times(
    const OpenTrace& open,
    Functions& functions,
    ContentionOptions& options,
    Scan& scan) {
  const Extent::Times kept = scan.extent.kept(tuning::kMostFarTimes);
  if (kept.count >= scan.events || options.progress.stopped())
    return;
  options.filter.first_cycle = std::max(options.filter.first_cycle, kept.first);
  options.filter.last_cycle = std::min(options.filter.last_cycle, kept.last);
  const uint64_t far = scan.events - kept.count;
  options.checkpoint.clear();  // its state includes the far accesses
  ReadReport again;
  scan = scan_trace(open, options, functions, again);
  scan.set_aside = far;
}

}  // namespace

ContentionResult
diagnose_contention(const OpenTrace& open, const TraceFacts& facts, const ContentionOptions& options) {
  Functions functions(facts.names);
  ReadReport report;
  ReadReport again;
  ContentionOptions used = options;
  Scan scan = scan_trace(open, options, functions, report);
  check_filter(open, options, scan);
  set_aside_far_times(open, functions, used, scan);
  const WindowScan windows = scan_windows(open, used, scan, functions, again);
  ReadReport& read =
      report.taken + report.skipped > 0 ? report : again;  // a pass restored from a checkpoint reads nothing
  read.taken = std::max(read.taken, scan.events + scan.set_aside);
  if (used.period == 0)
    used.period = facts.period;
  Report writer(used, facts, scan, windows, functions);
  writer.set_named(functions.asked(), functions.named());
  ContentionResult result = writer.run(read);
  finding::add_read_report(result.diagnosis, read);
  return result;
}

}  // namespace lento::memory
