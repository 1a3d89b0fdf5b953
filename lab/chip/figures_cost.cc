// Figures about the cost of recording in memory and run time, and about the accuracy that it gains.
#include <algorithm>
#include <map>
#include <set>

#include "base/units.h"
#include "evidence/sample.h"
#include "lab/chip/figures.h"

namespace lento::chip {
namespace {

constexpr double kRecord = kRawRecordBytes;
// Bytes that a method must keep of every record that it judges. IASO: time, peer and latency. Perseus: volume
// and latency by time. ADR: time and value.
constexpr double kIasoBytes = 24;
constexpr double kPerseusBytes = 24;
constexpr double kAdrBytes = 16;

using base::format_number;
using finding::TableFigure;

std::string bytes(double value) {
  return base::format_quantity(value, base::Dimension::Bytes);
}

std::string times(double raw, double kept) {
  if (kept > 0)
    return format_number(raw / kept, 4);
  return "-";
}

bool recorded(const RunResult& r) {
  return r.number("recorder_bytes") > 0;
}

}  // namespace

Figures memory_figures(const Results& results) {
  struct Sum {
    double runs = 0;
    double raw = 0;
    double messages = 0;
    double computes = 0;
    double recorder = 0;
    double kept = 0;
  };
  std::map<std::pair<std::string, std::string>, Sum> rows;
  for (const RunResult& r : results) {
    if (!recorded(r) || !(r.probes.empty() || r.probes == "full"))
      continue;
    Sum& s = rows[{r.workload, r.recorder}];
    s.runs += 1;
    s.raw += raw_bytes(r);
    s.messages += kRecord * (r.number("message_records") + r.number("memory_records"));
    s.computes += kRecord * r.number("compute_records");
    s.recorder += r.number("recorder_bytes");
    s.kept += r.number("kept_bytes");
  }
  if (rows.empty() || rows.size() > 200)
    return {};
  TableFigure table;
  table.columns = {
      "workload",
      "recorder",
      "raw",
      "raw transfers",
      "IASO keeps",
      "raw computes",
      "Perseus keeps",
      "ADR keeps",
      "recorder, all of it",
      "of that in use",
      "times smaller",
      "times smaller, in use"};
  for (const auto& [key, s] : rows) {
    const double n = s.runs;
    table.rows.push_back(
        {key.first,
         key.second,
         bytes(s.raw / n),
         bytes(s.messages / n),
         bytes(s.messages / n * kIasoBytes / kRecord),
         bytes(s.computes / n),
         bytes(s.computes / n * kPerseusBytes / kRecord),
         bytes(s.computes / n * kAdrBytes / kRecord),
         bytes(s.recorder / n),
         bytes(s.kept / n),
         times(s.raw, s.recorder),
         times(s.raw, s.kept)});
  }
  return {
      {"Memory",
       "Means over runs, all cores. Raw: 40 bytes a record. The recorder's own structure counts.",
       table}};
}

Figures probe_figures(const Results& results) {
  std::map<std::string, std::map<std::string, std::map<std::pair<std::string, uint64_t>, double>>> cycles;
  for (const RunResult& r : results)
    if (!r.probes.empty() && r.number("cycles") > 0)
      cycles[r.workload][r.probes][{r.name, r.seed}] = r.number("cycles");
  TableFigure table;
  table.columns = {"workload", "probes", "runs", "cycles, mean", "longer than without probes %"};
  finding::BarsFigure figure;
  figure.y_name = "% of run time, full probes";
  figure.series = {"full"};
  figure.values.resize(1);
  for (const auto& [workload, by_probes] : cycles) {
    const auto none = by_probes.find("none");
    if (none == by_probes.end())
      continue;
    for (const auto& [probes, runs] : by_probes) {
      double sum = 0;
      double excess = 0;
      double paired = 0;
      for (const auto& [run, value] : runs) {
        sum += value;
        const auto without = none->second.find(run);
        if (without == none->second.end())
          continue;
        excess += value / without->second - 1;
        paired += 1;
      }
      const double more = paired > 0 ? excess / paired : 0;
      table.rows.push_back(
          {workload,
           probes,
           std::to_string(runs.size()),
           format_number(sum / double(runs.size()), 9),
           format_number(100 * more, 3)});
      if (probes != "full")
        continue;
      figure.categories.push_back(workload);
      figure.values[0].push_back(100 * more);
    }
  }
  if (table.rows.empty())
    return {};
  return {
      {"Probes", "The same run with and without probes, in pairs.", table},
      {"Cost of full probes", "Share of run time.", figure}};
}

Figures convergence_figures(const Results& results) {
  struct Cases {
    std::vector<double> iterations;
    std::map<int, std::vector<double>> errors;  // by iteration
  };
  std::map<std::string, Cases> rows;
  for (const RunResult& r : results) {
    if (!r.numbers.contains("failrank_iterations"))
      continue;
    Cases& c = rows[r.workload + ", " + r.variant()];
    c.iterations.push_back(r.number("failrank_iterations"));
    for (int k = 1; k <= r.number("failrank_iterations"); ++k) {
      const double error = r.number("failrank_error_" + std::to_string(k));
      if (error > 0)
        c.errors[k].push_back(error);
    }
  }
  if (rows.empty() || rows.size() > 40)
    return {};
  TableFigure table;
  table.columns = {"workload and method", "cases", "iterations, least", "median", "most"};
  finding::SeriesFigure figure;
  figure.x_name = "iteration";
  figure.y_name = "L1 norm of the change, median";
  figure.log_y = true;
  for (const auto& [name, c] : rows) {
    table.rows.push_back(
        {name,
         std::to_string(c.iterations.size()),
         format_number(evidence::quantile(c.iterations, 0)),
         format_number(evidence::median(c.iterations)),
         format_number(evidence::quantile(c.iterations, 1))});
    finding::SeriesFigure::Line line{name, {}, {}};
    for (const auto& [k, errors] : c.errors) {
      line.x.push_back(k);
      line.y.push_back(evidence::median(errors));
    }
    if (!line.x.empty())
      figure.lines.push_back(std::move(line));
  }
  Figures out{{"FailRank iterations", "Every result line holds the iterations of its case.", table}};
  if (!figure.lines.empty())
    out.push_back({"FailRank convergence", "Cases with a candidate; tolerance 1e-4.", figure});
  return out;
}

Figures slowdown_figures(const Results& results) {
  std::map<std::string, std::vector<double>> clean;
  std::map<std::pair<std::string, std::string>, std::map<std::pair<std::string, uint64_t>, double>> slow;
  for (const RunResult& r : results) {
    const bool full = r.probes.empty() || r.probes == "full";
    if (r.number("cycles") == 0 || !full || r.name == "altered")
      continue;
    if (r.truth.empty()) {
      clean[r.workload].push_back(r.number("cycles"));
    } else {
      const std::string kind = r.truth[0].substr(0, r.truth[0].find_first_of("0123456789"));
      slow[{r.workload, kind}][{r.name, r.seed}] = r.number("cycles");
    }
  }
  TableFigure table;
  table.columns = {"workload", "component", "cases", "least", "median", "most"};
  for (const auto& [key, runs] : slow) {
    if (!clean.contains(key.first))
      continue;
    const double usual = evidence::median(clean[key.first]);
    std::vector<double> ratios;
    for (const auto& [run, cycles] : runs)
      ratios.push_back(cycles / usual);
    table.rows.push_back(
        {key.first,
         key.second,
         std::to_string(ratios.size()),
         format_number(evidence::quantile(ratios, 0)),
         format_number(evidence::median(ratios)),
         format_number(evidence::quantile(ratios, 1))});
  }
  if (table.rows.empty())
    return {};
  return {{"Slow-down", "Run time with the fault over that of clean runs, training cases included.", table}};
}

}  // namespace lento::chip
