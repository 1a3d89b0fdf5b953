// The figures of a contention diagnosis: tables of patterns, functions, lines and blame, and what happened
// when.
#include <algorithm>
#include <map>

#include "base/units.h"
#include "memory/mine/base_rate.h"
#include "memory/mine/contention_report.h"

namespace lento::memory {
namespace {

constexpr size_t kShownLines = 16, kShownFunctions = 40;

class Figures {
 public:
  explicit Figures(const ReportInput& in, std::vector<finding::Figure>& figures)
      : options_(in.options),
        scan_(in.scan),
        windows_(in.windows),
        names_(in.names),
        patterns_(in.patterns),
        figures_(figures) {}

  void run() {
    finding::TableFigure patterns{{"pattern", "CPUs", "support", "lift", "p", "excess cycles", "explained"},
                                  {}};
    for (const Pattern& p : patterns_) {
      patterns.rows.push_back({names_.pattern(p.items, p.ranges), cpu_list(p.cpus), base::percent(p.share),
                               base::format_number(p.lift, 3), base::format_number(p.p, 3),
                               std::to_string(p.excess), std::to_string(p.explained)});
    }
    figures_.push_back(
        {"Patterns",
         "Sets that share contention windows, best first; PC ranges come from the supporting windows.",
         patterns});
    figures_.push_back(function_table());
    figures_.push_back(line_table());
    figures_.push_back(blame_table());
    add_cpu_blame();
    add_over_time();
    add_pc_frequency();
    add_window_timeline();
  }

  // Presence alone is no evidence: a function that always runs is in all windows, and in all controls.
  finding::Figure function_table() const {
    std::map<uint32_t, uint64_t> excess;  // of the windows in which it waits
    std::map<uint32_t, uint32_t> items;   // function -> item
    for (uint32_t id = 0; id < windows_.items.size(); ++id) {
      const Items::Item& item = windows_.items.item(id);
      if (item.kind == Items::Kind::Function) items[static_cast<uint32_t>(item.value)] = id;
    }
    for (const WindowFacts& w : windows_.windows) {
      for (const uint32_t f : w.runs) excess[f] += waits(w, items, f) ? w.excess : 0;
    }
    std::vector<std::pair<uint64_t, uint32_t>> order;
    for (const auto& [function, cycles] : excess) order.emplace_back(cycles, function);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    order.resize(std::min(order.size(), kShownFunctions));
    finding::TableFigure table{{"function", "runs in windows", "in controls", "lift", "waits in windows",
                                "in controls", "lift of waiting", "excess cycles"},
                               {}};
    const BaseRate base(scan_, windows_);
    for (const auto& [cycles, f] : order) {
      auto& row = table.rows.emplace_back(1, names_.function(f));
      add_rate(base.of([&](const WindowFacts& w) { return std::ranges::binary_search(w.runs, f); }), row);
      add_rate(base.of([&](const WindowFacts& w) { return waits(w, items, f); }), row);
      row.push_back(std::to_string(cycles));
    }
    return {"Functions and their base rate",
            "Windows and control windows in which the function runs, and in which an access of it waits. A "
            "lift of 1: at the same time it is as often there without contention.",
            table};
  }

  static bool waits(const WindowFacts& w, const std::map<uint32_t, uint32_t>& items, uint32_t function) {
    const auto item = items.find(function);
    return item != items.end() && std::ranges::binary_search(w.items, item->second);
  }

  static void add_rate(const BaseRate::Rate& rate, std::vector<std::string>& row) {
    row.insert(row.end(), {base::percent(rate.share), base::percent(rate.control_share),
                           rate.lift > 0 ? base::format_number(rate.lift, 3) : ""});
  }

  finding::Figure line_table() {
    finding::TableFigure table{
        {"line", "cause", "excess cycles", "offset", "CPU", "reads", "writes", "atomics", "where"}, {}};
    for (size_t i = 0; i < std::min(kShownLines, windows_.hot_lines.size()); ++i) {
      const HotLine& line = windows_.hot_lines[i];
      for (const auto& [where, use] : line.uses) {
        table.rows.push_back({names_.line(line.line), line.cause(), std::to_string(use.excess),
                              "+" + std::to_string(where.first), std::to_string(where.second),
                              std::to_string(use.reads), std::to_string(use.writes),
                              std::to_string(use.atomics), names_.place(use.pc)});
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
      table.rows.push_back({names_.function(pair.first), names_.function(pair.second), std::to_string(cycles),
                            base::percent(scan_.share_of_excess(cycles))});
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
    figures_.push_back({"Blame matrix", "Row: the CPU that waits; column: the CPU it waits for.", map});
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
    figures_.push_back({"Contention over time", "Cycles lost inside contention windows.", series});
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
    figures_.push_back({"Frequency by instruction",
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
    figures_.push_back({"Contention windows", "The first 200.", timeline});
  }

 private:
  const ContentionOptions& options_;
  const Scan& scan_;
  const WindowScan& windows_;
  const Names& names_;
  const std::vector<Pattern>& patterns_;
  std::vector<finding::Figure>& figures_;
};

}  // namespace

void add_contention_figures(const ReportInput& in, std::vector<finding::Figure>& figures) {
  Figures(in, figures).run();
}

}  // namespace lento::memory
