// Builds the tables and bar charts of an evaluation from the counts of tally.h.
#include "lab/chip/table.h"

#include <algorithm>

#include "base/units.h"
#include "evidence/sample.h"
#include "lab/chip/figures.h"

namespace lento::chip {
namespace {

using finding::Figure;

constexpr size_t kMostBars = 24;

// Returns a bar for each variant, the mean over the workloads.
Figure bars(const std::string& title, const std::map<std::string, std::vector<double>>& values) {
  finding::BarsFigure figure;
  figure.y_name = "%";
  figure.series = {"mean over workloads"};
  figure.values.resize(1);
  for (const auto& [variant, list] : values) {
    figure.categories.push_back(variant);
    figure.values[0].push_back(100 * evidence::mean(list));
  }
  return {title, "One bar a method.", figure};
}

void add_paper_counting(const Tallies& rows, std::vector<Figure>& out) {
  finding::TableFigure table;
  table.columns = {"workload", "method", "Acc %", "FPR %", "TP", "TN", "FP", "FN"};
  std::map<std::string, std::vector<double>> accuracy;
  std::map<std::string, std::vector<double>> false_rate;
  for (const auto& [key, t] : rows) {
    const evidence::Confusion& c = t.paper;
    table.rows.push_back(
        {key.first,
         key.second,
         percent(c.accuracy()),
         percent(c.false_alarm_rate()),
         std::to_string(c.true_positive),
         std::to_string(c.true_negative),
         std::to_string(c.false_positive),
         std::to_string(c.false_negative)});
    accuracy[key.second].push_back(c.accuracy());
    false_rate[key.second].push_back(c.false_alarm_rate());
  }
  for (const auto& [variant, list] : accuracy)
    table.rows.push_back(
        {"mean",
         variant,
         percent(evidence::mean(list)),
         percent(evidence::mean(false_rate[variant])),
         "",
         "",
         "",
         ""});
  out.push_back(
      {"The paper's counting",
       "TN is the number of clean runs whatever they show; every spurious report on a faulty run is one FP.",
       table});
  if (accuracy.size() > 1 && accuracy.size() <= kMostBars)
    out.push_back(bars("Accuracy, the paper's counting", accuracy));
}

// A column of a table over tallies.
struct Column {
  const char* name;
  std::string (*value)(const Tally&);
};

finding::TableFigure
table_of(const Tallies& rows, const Tallies& pooled, const std::vector<Column>& columns) {
  finding::TableFigure table;
  table.columns = {"workload", "method"};
  for (const Column& c : columns)
    table.columns.emplace_back(c.name);
  for (const Tallies* list : {&rows, &pooled}) {
    for (const auto& [key, t] : *list) {
      std::vector<std::string> row{key.first, key.second};
      for (const Column& c : columns)
        row.push_back(c.value(t));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

const std::vector<Column> kRight{
    {"exactly right %",
     [](const Tally& t) {
       return rate(t.right, t.cases);
     }},
    {"cores %",
     [](const Tally& t) {
       return rate(t.cores_right, t.cores);
     }},
    {"links %",
     [](const Tally& t) {
       return rate(t.links_right, t.links);
     }},
    {"others %",
     [](const Tally& t) {
       return rate(t.others_right, t.others);
     }},
    {"under 10 events %",
     [](const Tally& t) {
       return rate(t.few_right, t.few);
     }},
    {"clean runs with a report %",
     [](const Tally& t) {
       return rate(t.alarms, t.clean);
     }},
    {"altered ones %",
     [](const Tally& t) {
       return rate(t.altered_alarms, t.altered);
     }},
};
const std::vector<Column> kRanking{
    {"precision %",
     [](const Tally& t) {
       return percent(t.precision());
     }},
    {"recall %",
     [](const Tally& t) {
       return percent(t.recall());
     }},
    {"F1 %",
     [](const Tally& t) {
       return percent(t.f1());
     }},
    {"first %",
     [](const Tally& t) {
       return rate(t.first, t.cases);
     }},
    {"first three %",
     [](const Tally& t) {
       return rate(t.first_three, t.cases);
     }},
};
const std::vector<Column> kTime{
    {"in time %",
     [](const Tally& t) {
       return rate(t.in_time, t.cases);
     }},
    {"cores in time %",
     [](const Tally& t) {
       return rate(t.cores_in_time, t.cores);
     }},
    {"whole run in time %",
     [](const Tally& t) {
       return rate(t.whole_in_time, t.cases);
     }},
};

void add_strict_counting(const Tallies& rows, const Tallies& pooled, std::vector<Figure>& out) {
  std::map<std::string, std::vector<double>> right;
  for (const auto& [key, t] : rows)
    if (t.cases > 0)
      right[key.second].push_back(double(t.right) / double(t.cases));
  out.push_back(
      {"The strict counting",
       "Right: one report for each injected fault, each the right component, and nothing else. "
       "Intervals: 95 %, Wilson.",
       table_of(rows, pooled, kRight)});
  out.push_back(
      {"Reports and ranking", "Of cases that touch at least ten events.", table_of(rows, pooled, kRanking)});
  out.push_back(
      {"Start and end",
       "In time: intersection over union of at least 0.7 with the truth, clipped to the run; a fault "
       "that was not named is not in time. Whole run: had the answer been the whole run.",
       table_of(rows, pooled, kTime)});
  if (right.size() > 1 && right.size() <= kMostBars)
    out.push_back(bars("Exactly right", right));
}

template <class... Lists>
void append(std::vector<Figure>& out, Lists&&... lists) {
  (out.insert(out.end(), lists.begin(), lists.end()), ...);
}

}  // namespace

finding::Diagnosis summarize(const std::vector<RunResult>& results, const std::string& title) {
  const bool training = only_training(results);
  const Tallies rows = tally(results, training);
  const Tallies pooled = tally(results, training, true);
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = title;
  Tally all;
  uint64_t left_out = 0;
  for (const RunResult& r : results) {
    if (r.training != training && !r.truth.empty())
      ++left_out;
    else
      all.add(r);
  }
  const auto ours = std::ranges::find_if(pooled, [](const auto& row) {
    return row.first.second == "lento";
  });
  const Tally& told = ours != pooled.end() ? ours->second : all;
  d.verdict = (ours != pooled.end() && pooled.size() > 1 ? "lento: exactly" : "Exactly") +
              std::string(" the right component and nothing else in ") + rate(told.right, told.cases) +
              " of faulty runs; " + rate(told.alarms, told.clean) + " of clean runs with any report.";
  d.facts = {
      {"results", std::to_string(results.size())},
      {training ? "split" : "kept for training, not counted",
       training ? "training: what tuning may see" : std::to_string(left_out)},
      {"results of cases that touch nothing", std::to_string(all.untouched)},
      {"results of cases not on the chip", std::to_string(all.elsewhere)}};
  add_paper_counting(rows, d.figures);
  add_strict_counting(rows, pooled, d.figures);
  append(
      d.figures,
      factor_figures(results, training),
      calibration_figures(results, training),
      recorder_figures(results, training),
      compression_figures(results),
      memory_figures(results),
      probe_figures(results),
      slowdown_figures(results),
      convergence_figures(results));
  return d;
}

}  // namespace lento::chip
