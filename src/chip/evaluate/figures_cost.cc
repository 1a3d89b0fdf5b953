// Figures about what recording costs and what it buys.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/units.h"
#include "chip/evaluate/figures.h"
#include "trace/probe_record.h"

namespace lento::chip {
namespace {

constexpr double kRecord = sizeof(trace::ProbeRecord);
// What a method needs of every record that it judges: IASO time, peer and latency; Perseus volume and latency
// by time; ADR time and value.
constexpr double kIasoBytes = 24, kPerseusBytes = 24, kAdrBytes = 16;

using base::format_number;

double number(const RunResult& r, const std::string& name) {
  const auto at = r.numbers.find(name);
  return at == r.numbers.end() ? 0 : at->second;
}

std::string bytes(double value) { return base::format_quantity(value, base::Dimension::Bytes); }

std::string times(double raw, double kept) { return kept > 0 ? format_number(raw / kept, 4) : "-"; }

bool recorded(const RunResult& r) { return number(r, "recorder_bytes") > 0; }

double raw_bytes(const RunResult& r) {
  return kRecord *
         (number(r, "compute_records") + number(r, "message_records") + number(r, "memory_records"));
}

}  // namespace

Figures memory_figures(const Results& results) {
  struct Sum {
    double runs = 0, raw = 0, messages = 0, computes = 0, recorder = 0, kept = 0;
  };
  std::map<std::pair<std::string, std::string>, Sum> rows;
  for (const RunResult& r : results) {
    if (!recorded(r) || !(r.probes.empty() || r.probes == "full")) continue;
    Sum& s = rows[{r.workload, r.recorder}];
    s.runs += 1;
    s.raw += raw_bytes(r);
    s.messages += kRecord * (number(r, "message_records") + number(r, "memory_records"));
    s.computes += kRecord * number(r, "compute_records");
    s.recorder += number(r, "recorder_bytes");
    s.kept += number(r, "kept_bytes");
  }
  if (rows.empty() || rows.size() > 200) return {};
  finding::TableFigure table;
  table.columns = {"workload",       "recorder",      "raw",
                   "raw transfers",  "IASO keeps",    "raw computes",
                   "Perseus keeps",  "ADR keeps",     "recorder, all of it",
                   "of that in use", "times smaller", "times smaller, in use"};
  for (const auto& [key, s] : rows) {
    const double n = s.runs;
    table.rows.push_back({key.first, key.second, bytes(s.raw / n), bytes(s.messages / n),
                          bytes(s.messages / n * kIasoBytes / kRecord), bytes(s.computes / n),
                          bytes(s.computes / n * kPerseusBytes / kRecord),
                          bytes(s.computes / n * kAdrBytes / kRecord), bytes(s.recorder / n),
                          bytes(s.kept / n), times(s.raw, s.recorder), times(s.raw, s.kept)});
  }
  return {{"Memory",
           "Means over runs, all cores. Raw: 40 bytes a record. The recorder's own structure counts.",
           table}};
}

Figures probe_figures(const Results& results) {
  std::map<std::string, std::map<std::string, std::map<std::pair<std::string, uint64_t>, double>>> cycles;
  for (const RunResult& r : results)
    if (!r.probes.empty() && number(r, "cycles") > 0)
      cycles[r.workload][r.probes][{r.name, r.seed}] = number(r, "cycles");
  finding::TableFigure table;
  table.columns = {"workload", "probes", "runs", "cycles, mean", "longer than without probes %"};
  finding::BarsFigure figure;
  figure.y_name = "% of run time, full probes";
  figure.series = {"full"};
  figure.values.resize(1);
  for (const auto& [workload, by_probes] : cycles) {
    const auto none = by_probes.find("none");
    if (none == by_probes.end()) continue;
    for (const auto& [probes, runs] : by_probes) {
      double sum = 0, excess = 0, paired = 0;
      for (const auto& [run, value] : runs) {
        sum += value;
        const auto without = none->second.find(run);
        if (without == none->second.end()) continue;
        excess += value / without->second - 1;
        paired += 1;
      }
      const double more = paired > 0 ? excess / paired : 0;
      table.rows.push_back({workload, probes, std::to_string(runs.size()),
                            format_number(sum / double(runs.size()), 9), format_number(100 * more, 3)});
      if (probes != "full") continue;
      figure.categories.push_back(workload);
      figure.values[0].push_back(100 * more);
    }
  }
  if (table.rows.empty()) return {};
  return {{"Probes", "The same run with and without probes, in pairs.", table},
          {"Cost of full probes", "Share of run time.", figure}};
}

Figures convergence_figures(const Results& results) {
  struct Cases {
    std::vector<double> iterations;
    std::map<int, std::vector<double>> errors;  // by iteration
  };
  std::map<std::string, Cases> rows;
  for (const RunResult& r : results) {
    if (!r.numbers.contains("failrank_iterations")) continue;
    Cases& c = rows[r.workload + ", " + r.variant()];
    c.iterations.push_back(number(r, "failrank_iterations"));
    for (int k = 1; k <= number(r, "failrank_iterations"); ++k) {
      const double error = number(r, "failrank_error_" + std::to_string(k));
      if (error > 0) c.errors[k].push_back(error);
    }
  }
  if (rows.empty() || rows.size() > 40) return {};
  finding::TableFigure table;
  table.columns = {"workload and method", "cases", "iterations, least", "median", "most"};
  finding::SeriesFigure figure;
  figure.x_name = "iteration";
  figure.y_name = "L1 norm of the change, median";
  figure.log_y = true;
  for (const auto& [name, c] : rows) {
    table.rows.push_back(
        {name, std::to_string(c.iterations.size()), format_number(base::quantile(c.iterations, 0)),
         format_number(base::median(c.iterations)), format_number(base::quantile(c.iterations, 1))});
    finding::SeriesFigure::Line line{name, {}, {}};
    for (const auto& [k, errors] : c.errors) {
      line.x.push_back(k);
      line.y.push_back(base::median(errors));
    }
    if (!line.x.empty()) figure.lines.push_back(std::move(line));
  }
  Figures out{{"FailRank iterations", "Every result line holds the iterations of its case.", table}};
  if (!figure.lines.empty())
    out.push_back({"FailRank convergence", "Cases with a candidate; tolerance 1e-4.", figure});
  return out;
}

Figures recorder_figures(const Results& results, bool training) {
  struct Cost {
    double accuracy = 0, memory = 0, kept = 0, runs = 0;  // kept: share of the raw bytes
  };
  std::map<std::pair<std::string, std::string>, Cost> costs;  // workload, variant
  std::set<std::string> recorders;
  for (const RunResult& r : results) {
    if (r.recorder.empty() || number(r, "cycles") == 0) continue;
    recorders.insert(r.recorder);
    Cost& c = costs[{r.workload, r.variant()}];
    c.runs += 1;
    c.memory += number(r, "recorder_bytes");
    c.kept += recorded(r) && raw_bytes(r) > 0 ? number(r, "kept_bytes") / raw_bytes(r) : 1;
  }
  if (recorders.size() < 2) return {};
  for (const auto& [key, t] : tally(results, training)) {
    const auto at = costs.find(key);
    if (at != costs.end()) at->second.accuracy = t.paper.accuracy();
  }
  finding::TableFigure table;
  table.columns = {"workload", "method and recorder", "accuracy %", "recorder", "kept % of raw", "cost"};
  finding::ScatterFigure figure;
  figure.x_name = "memory of all recorders, bytes";
  figure.y_name = "accuracy, %";
  figure.log_x = true;
  std::map<std::string, std::vector<std::pair<std::string, Cost>>> by_workload;
  for (const auto& [key, sum] : costs) {
    if (sum.memory <= 0) continue;
    by_workload[key.first].push_back(
        {key.second, {sum.accuracy, sum.memory / sum.runs, sum.kept / sum.runs, sum.runs}});
  }
  for (auto& [workload, list] : by_workload) {
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second.memory, -a.second.accuracy) < std::pair(b.second.memory, -b.second.accuracy);
    });
    finding::ScatterFigure::Group all{workload, {}}, front{workload + ", Pareto front", {}, true};
    double best = -1;
    for (const auto& [name, c] : list) {
      const finding::ScatterFigure::Point point{c.memory, 100 * c.accuracy, name};
      all.points.push_back(point);
      if (c.accuracy <= best) continue;
      best = c.accuracy;
      front.points.push_back(point);
      table.rows.push_back({workload, name, percent(c.accuracy), bytes(c.memory), percent(c.kept),
                            format_number(c.memory * c.kept / std::max(0.01, c.accuracy), 4)});
    }
    figure.groups.push_back(std::move(all));
    figure.groups.push_back(std::move(front));
  }
  return {{"Pareto front of recorders",
           "Settings that no other beats with as little memory. Cost: memory times share kept over accuracy.",
           table},
          {"Recorders: accuracy against memory", "Every setting, and the front.", figure}};
}

}  // namespace lento::chip
