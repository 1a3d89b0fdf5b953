// Draws the figures of a contention diagnosis: tables of patterns, functions, lines and blame, and series
// over time.
#include <algorithm>
#include <map>

#include "base/units.h"
#include "memory/mine/base_rate.h"
#include "memory/mine/contention_report.h"
#include "memory/mine/sampled.h"

namespace lento::memory {
namespace {

using base::format_number;
using finding::Figure;
using finding::SeriesFigure;
using finding::TableFigure;

constexpr size_t kShownLines = 16;
constexpr size_t kShownFunctions = 40;

class Figures {
 public:
  explicit Figures(const ReportInput& in, std::vector<Figure>& figures)
      : options_(in.options),
        scan_(in.scan),
        windows_(in.windows),
        names_(in.names),
        patterns_(in.patterns),
        lines_(in.lines),
        figures_(figures) {
  }

  void run() {
    TableFigure patterns{{"pattern", "CPUs", "support", "lift", "p", "excess cycles", "explained"}, {}};
    for (const Pattern& p : patterns_) {
      patterns.rows.push_back(
          {names_.pattern(p.items, p.ranges),
           p.cpus.text(),
           percent(p.share),
           format_number(p.lift, 3),
           format_number(p.p, 3),
           std::to_string(p.excess),
           std::to_string(p.explained)});
    }
    figures_.push_back(
        {"Patterns",
         "Sets that share contention windows, best first; PC ranges come from the supporting windows.",
         patterns});
    figures_.push_back(function_table());
    figures_.push_back(line_table());
    add_levels();
    add_sampled("Sampled latency by code", sampled_code(scan_, names_));
    add_sampled("Sampled latency by variable", sampled_variables(scan_, names_));
    add_variables();
    figures_.push_back(blame_table());
    add_cpu_blame();
    add_over_time();
    add_pc_frequency();
    add_window_timeline();
  }

  // Returns the table of functions with their base rates. Presence alone is no evidence, because a function
  // that always runs is in all windows and in all controls.
  Figure function_table() const {
    std::map<uint32_t, uint64_t> excess;  // of the windows in which it waits
    std::map<uint32_t, uint32_t> items;   // function -> item
    for (uint32_t id = 0; id < windows_.items.size(); ++id) {
      const Items::Item& item = windows_.items.item(id);
      if (item.kind == Items::Kind::Function)
        items[uint32_t(item.value)] = id;
    }
    for (const WindowFacts& w : windows_.windows) {
      for (const uint32_t f : w.runs)
        excess[f] += waits(w, items, f) ? w.excess : 0;
    }
    std::vector<std::pair<uint64_t, uint32_t>> order;
    for (const auto& [function, cycles] : excess)
      order.emplace_back(cycles, function);
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
      return a.first > b.first;
    });
    order.resize(std::min(order.size(), kShownFunctions));
    TableFigure table{
        {"function",
         "runs in windows",
         "in controls",
         "lift",
         "waits in windows",
         "in controls",
         "lift of waiting",
         "excess cycles"},
        {}};
    const BaseRate base(scan_, windows_);
    for (const auto& [cycles, function] : order) {
      const auto f = function;  // clang 14 lets no lambda take a name of a pair
      auto& row = table.rows.emplace_back(1, names_.function(f));
      add_rate(
          base.of([&](const WindowFacts& w) {
            return std::ranges::binary_search(w.runs, f);
          }),
          row);
      add_rate(
          base.of([&](const WindowFacts& w) {
            return waits(w, items, f);
          }),
          row);
      row.push_back(std::to_string(cycles));
    }
    return {
        "Functions and their base rate",
        "Windows and control windows in which the function runs, and in which an access of it waits. A "
        "lift of 1: at the same time it is as often there without contention.",
        table};
  }

  static bool waits(const WindowFacts& w, const std::map<uint32_t, uint32_t>& items, uint32_t function) {
    const auto item = items.find(function);
    return item != items.end() && std::ranges::binary_search(w.items, item->second);
  }

  static void add_rate(const BaseRate::Rate& rate, std::vector<std::string>& row) {
    row.insert(
        row.end(),
        {percent(rate.share), percent(rate.control_share), rate.lift > 0 ? format_number(rate.lift, 3) : ""});
  }

  // Prints the lines as perf c2c does: line by line, and in each the threads and the bytes they touch.
  Figure line_table() {
    TableFigure table{
        {"line",
         "cause",
         "excess cycles",
         "offset",
         "bytes",
         "thread",
         "CPU",
         "node",
         "reads",
         "writes",
         "atomics",
         "from peers",
         "of them remote",
         "data",
         "where"},
        {}};
    constexpr size_t kMostRows = 400;
    for (size_t i = 0; i < std::min(kShownLines, lines_.size()); ++i) {
      const Line& line = lines_[i];
      for (const Use& use : line.uses) {
        if (table.rows.size() >= kMostRows)
          break;
        const bool has_node = use.node != memory::AccessRecord::kNoNode;
        table.rows.push_back(
            {names_.line(line),
             name(line.cause),
             std::to_string(use.excess),
             "+" + std::to_string(use.offset),
             std::to_string(use.size),
             scan_.with_thread > 0 ? std::to_string(use.actor) : "",
             std::to_string(use.cpu),
             has_node ? std::to_string(use.node) : "",
             std::to_string(use.reads),
             std::to_string(use.writes),
             std::to_string(use.atomics),
             std::to_string(use.peers),
             std::to_string(use.remote_peers),
             names_.data(line.process, line.address + use.offset),
             names_.place(line.process, use.pc)});
      }
    }
    return {"Hottest lines", "Who reads and writes which bytes of the costliest lines.", table};
  }

  // Lists the memory levels that answered the samples.
  void add_levels() {
    if (!scan_.levels_known)
      return;
    TableFigure table{{"answered by", "accesses", "10th percentile", "median", "90th percentile"}, {}};
    for (size_t s = 1; s < kServices; ++s) {
      const LatencyHistogram& h = scan_.by_service[s];
      if (h.total() == 0)
        continue;
      const auto at = [&](double q) {
        return format_number(h.quantile(q, QuantileRule::NearestRank), 6);
      };
      table.rows.push_back(
          {to_string(static_cast<Service>(s)), std::to_string(h.total()), at(0.1), at(0.5), at(0.9)});
    }
    figures_.push_back({"Levels", "Which part of the machine answered, and how long it took.", table});
  }

  // Adds a table of the places with the largest share of sampled latency.
  void add_sampled(const std::string& title, const std::vector<SampledShare>& shares) {
    constexpr size_t kShown = 40;
    if (shares.empty())
      return;
    TableFigure table{{"where", "latency", "share", "samples"}, {}};
    for (size_t i = 0; i < std::min(shares.size(), kShown); ++i) {
      const SampledShare& s = shares[i];
      table.rows.push_back(
          {s.name,
           std::to_string(s.latency),
           percent(double(s.latency) / double(std::max<uint64_t>(1, scan_.latency_sum))),
           std::to_string(s.samples)});
    }
    figures_.push_back({title, "Latency of all samples, hits included, whatever its reason.", table});
  }

  // Lists variables by the latency above a hit that their accesses took, for any reason.
  void add_variables() {
    constexpr size_t kShown = 40;
    std::map<std::string, std::pair<uint64_t, uint64_t>> sums;  // cycles, accesses
    for (const auto& [key, cost] : scan_.blocks) {
      program::DataObject object;
      const bool known = names_.space().object_at(key.process, cost.address, object);
      const std::string name = !known                ? "(no name)"
                               : object.site.empty() ? object.name
                                                     : object.name + " from " + object.site;
      auto& sum = sums[name];
      for (const uint64_t cycles : cost.cycles)
        sum.first += cycles;
      sum.second += cost.accesses;
    }
    if (sums.empty() || names_.space().empty())
      return;
    std::vector<std::pair<uint64_t, std::string>> order;
    for (const auto& [name, sum] : sums)
      order.emplace_back(sum.first, name);
    std::ranges::sort(order, [](const auto& a, const auto& b) {
      if (a.first != b.first)
        return a.first > b.first;
      return a.second < b.second;
    });
    order.resize(std::min(order.size(), kShown));
    TableFigure table{{"variable", "cycles above a hit", "accesses"}, {}};
    for (const auto& [cycles, name] : order)
      table.rows.push_back({name, std::to_string(cycles), std::to_string(sums[name].second)});
    figures_.push_back({"Variables", "What their accesses took beyond the fastest of their kind.", table});
  }

  // Returns which functions wait for which, by cycles.
  Figure blame_table() const {
    std::vector<std::pair<uint64_t, std::pair<uint32_t, uint32_t>>> pairs;
    for (const auto& [pair, blame] : scan_.function_blame)
      pairs.push_back({blame.cycles, pair});
    std::sort(pairs.rbegin(), pairs.rend());
    TableFigure table{{"waits", "for", "cycles", "share"}, {}};
    for (size_t i = 0; i < std::min<size_t>(20, pairs.size()); ++i) {
      const auto& [cycles, pair] = pairs[i];
      table.rows.push_back(
          {names_.function(pair.first),
           names_.function(pair.second),
           std::to_string(cycles),
           percent(scan_.share_of_excess(cycles))});
    }
    return {
        "Who delays whom",
        "Functions by cycles that one waited for the other; empty when the trace does not know.",
        table};
  }

  // Adds a map of cycles by delayed CPU and delaying CPU.
  void add_cpu_blame() {
    if (scan_.cpu_blame.empty())
      return;
    finding::HeatMapFigure map;
    map.x_name = "delayed by CPU";
    map.value_name = "cycles";
    constexpr size_t kMostShown = 128;  // a map of more cannot be read
    for (const uint32_t c : scan_.cpu_set().list()) {
      if (map.rows.size() == kMostShown)
        break;
      map.rows.push_back("CPU " + std::to_string(c));
      map.columns.push_back(c);
    }
    for (const double victim : map.columns) {
      for (const double culprit : map.columns) {
        const auto at = scan_.cpu_blame.find({uint32_t(victim), uint32_t(culprit)});
        map.values.push_back(at == scan_.cpu_blame.end() ? 0 : double(at->second.cycles));
      }
    }
    figures_.push_back({"Who waits for whom", "A row waits for the columns.", map});
  }

  // Adds excess cycles over time.
  void add_over_time() {
    constexpr size_t kBins = 200;
    SeriesFigure series;
    series.x_name = "cycle";
    series.y_name = "excess cycles in windows";
    SeriesFigure::Line line{"excess", {}, {}, true, false};
    std::vector<double> sums(kBins);
    const double width = std::max(1.0, double(scan_.duration()) / kBins);
    for (const WindowFacts& w : windows_.windows) {
      const auto bin = size_t(double(w.seed - scan_.first_cycle) / width);
      sums[std::min(bin, kBins - 1)] += double(w.excess);
    }
    for (size_t i = 0; i < kBins; ++i) {
      line.x.push_back(double(scan_.first_cycle) + width * (double(i) + 0.5));
      line.y.push_back(sums[i]);
    }
    series.lines.push_back(line);
    figures_.push_back({"Contention over time", "Cycles lost inside contention windows.", series});
  }

  // Adds how many windows contain each program counter.
  void add_pc_frequency() {
    SeriesFigure series;
    series.x_name = "program counter";
    series.y_name = "windows";
    std::vector<std::pair<uint64_t, uint64_t>> top;
    for (const auto& [pc, n] : windows_.pc_windows)
      top.emplace_back(n, pc);
    std::sort(top.rbegin(), top.rend());
    top.resize(std::min<size_t>(top.size(), 400));
    std::ranges::sort(top, [](const auto& a, const auto& b) {
      return a.second < b.second;
    });
    SeriesFigure::Line line{"windows with the instruction", {}, {}, false, false};
    for (const auto& [n, pc] : top)
      line.x.push_back(double(pc)), line.y.push_back(double(n));
    series.lines.push_back(line);
    figures_.push_back(
        {"Frequency by instruction",
         "In how many windows each of the 400 most frequent instructions appears.",
         series});
  }

  // Adds the windows on a time axis.
  void add_window_timeline() {
    finding::TimelineFigure timeline;
    timeline.x_name = "cycle";
    for (size_t i = 0; i < std::min<size_t>(200, windows_.windows.size()); ++i) {
      const WindowFacts& w = windows_.windows[i];
      const double half = double(options_.window) / 2;
      const double seed = double(w.seed);
      timeline.spans.push_back(
          {"windows", seed - half, seed + half, std::to_string(w.excess) + " cycles lost", w.excess > 0});
    }
    figures_.push_back({"Contention windows", "The first 200.", timeline});
  }

 private:
  const ContentionOptions& options_;
  const Scan& scan_;
  const WindowScan& windows_;
  const ContentionNames& names_;
  const std::vector<Pattern>& patterns_;
  const std::vector<Line>& lines_;
  std::vector<Figure>& figures_;
};

}  // namespace

void add_contention_figures(const ReportInput& in, std::vector<Figure>& figures) {
  Figures(in, figures).run();
}

}  // namespace lento::memory
