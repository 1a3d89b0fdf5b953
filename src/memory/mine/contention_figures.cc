// The figures of a contention diagnosis: tables of patterns, functions, lines and blame, and what happened
// when.
#include <algorithm>
#include <map>

#include "base/units.h"
#include "memory/mine/contention_report.h"

namespace lento::memory {
namespace {

constexpr size_t kShownLines = 16;

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
      patterns.rows.push_back({names_.pattern(p.items, p.ranges), cpu_list(p.cpus), percent(p.share),
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
    struct Presence {
      uint64_t windows = 0, controls = 0, excess = 0;
    };
    std::map<uint64_t, Presence> functions;
    const auto each = [&](const std::vector<WindowFacts>& windows, auto&& use) {
      for (const WindowFacts& w : windows) {
        for (const uint32_t id : w.items) {
          const Items::Item& item = windows_.items.item(id);
          if (item.kind == Items::Kind::Function) use(functions[item.value], w);
        }
      }
    };
    each(windows_.windows, [](Presence& p, const WindowFacts& w) { ++p.windows, p.excess += w.excess; });
    each(windows_.controls, [](Presence& p, const WindowFacts&) { ++p.controls; });
    finding::TableFigure table{{"function", "windows", "controls", "lift", "excess cycles"}, {}};
    const auto share = [](uint64_t part, size_t all) {
      return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
    };
    for (const auto& [function, p] : functions) {
      const double in = share(p.windows, windows_.windows.size()),
                   base = share(p.controls, windows_.controls.size());
      table.rows.push_back({names_.function(static_cast<uint32_t>(function)), percent(in), percent(base),
                            base > 0 ? base::format_number(in / base, 3) : "", std::to_string(p.excess)});
    }
    std::stable_sort(table.rows.begin(), table.rows.end(),
                     [](const auto& a, const auto& b) { return std::stoull(a[4]) > std::stoull(b[4]); });
    if (table.rows.size() > 40) table.rows.resize(40);
    return {"Functions and their base rate",
            "Windows and control windows that hold a waiting access of the function. A lift of 1: it is as "
            "often there without contention.",
            table};
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
                            percent(scan_.share_of_excess(cycles))});
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
