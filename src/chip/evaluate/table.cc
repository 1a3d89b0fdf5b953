#include "chip/evaluate/table.h"

#include <algorithm>
#include <set>

#include "base/units.h"

namespace lento::chip {
namespace {

using base::Json;
using base::Location;

constexpr uint64_t kFew = 10;  // events; cases that touch fewer are listed apart
constexpr double kInTime = 0.7;

Json names_json(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const auto& n : names) list.push(n);
  return list;
}

std::vector<std::string> names_from(const Json& json, std::string_view key, const Location& where) {
  std::vector<std::string> out;
  const Location at = base::child(where, key);
  for (const Json& n : json.at(key, where).array(at)) out.push_back(n.string(at));
  return out;
}

bool holds(const std::vector<std::string>& names, const std::string& name, size_t first = SIZE_MAX) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(first, names.size()));
  return std::find(names.begin(), end, name) != end;
}

std::string percent(double share) { return base::format_number(100 * share, 4); }

// "97.4 (94.1 to 98.9)", and the counts.
std::string rate(uint64_t hits, uint64_t of) {
  if (of == 0) return "-";
  const base::Interval i = base::wilson95(hits, of);
  return percent(double(hits) / double(of)) + " (" + percent(i.low) + " to " + percent(i.high) + "), " +
         std::to_string(hits) + "/" + std::to_string(of);
}

using Rows = std::map<std::pair<std::string, std::string>, Tally>;

finding::Figure paper_table(const Rows& rows) {
  finding::TableFigure table;
  table.columns = {"workload", "method", "Acc %", "FPR %", "TP", "TN", "FP", "FN"};
  std::map<std::string, std::vector<double>> accuracy, false_rate;
  for (const auto& [key, t] : rows) {
    const base::Confusion& c = t.paper;
    table.rows.push_back({key.first, key.second, percent(c.accuracy()), percent(c.false_alarm_rate()),
                          std::to_string(c.true_positive), std::to_string(c.true_negative),
                          std::to_string(c.false_positive), std::to_string(c.false_negative)});
    accuracy[key.second].push_back(c.accuracy());
    false_rate[key.second].push_back(c.false_alarm_rate());
  }
  for (const auto& [method, list] : accuracy) {
    table.rows.push_back(
        {"mean", method, percent(base::mean(list)), percent(base::mean(false_rate[method])), "", "", "", ""});
  }
  return {
      "The paper's counting",
      "TN is the number of clean runs whatever they show; every spurious report on a faulty run is one FP.",
      table};
}

finding::Figure strict_table(const Rows& rows) {
  finding::TableFigure table;
  table.columns = {"workload",
                   "method",
                   "exactly right %",
                   "cores %",
                   "links %",
                   "others %",
                   "precision %",
                   "recall %",
                   "F1 %",
                   "first %",
                   "first three %",
                   "in time %",
                   "clean runs with a report %",
                   "under 10 events %"};
  for (const auto& [key, t] : rows) {
    table.rows.push_back({key.first, key.second, rate(t.right, t.cases), rate(t.cores_right, t.cores),
                          rate(t.links_right, t.links), rate(t.others_right, t.others),
                          percent(t.precision()), percent(t.recall()), percent(t.f1()),
                          rate(t.first, t.cases), rate(t.first_three, t.cases), rate(t.in_time, t.cases),
                          rate(t.alarms, t.clean), rate(t.few_right, t.few)});
  }
  return {
      "The strict counting",
      "Right: one report for each injected fault, each the right component, and nothing else. "
      "In time: start and end overlap with intersection over union of at least 0.7. Intervals: 95 %, Wilson.",
      table};
}

}  // namespace

Json to_json(const RunResult& r) {
  return Json::object()
      .set("workload", r.workload)
      .set("method", r.method)
      .set("case", r.name)
      .set("seed", r.seed)
      .set("training", r.training)
      .set("applicable", r.applicable)
      .set("hits", r.hits)
      .set("truth", names_json(r.truth))
      .set("reported", names_json(r.reported))
      .set("ranked", names_json(r.ranked))
      .set("overlap", r.overlap);
}

RunResult run_result_from_json(const Json& json, const Location& where) {
  RunResult r;
  const auto text = [&](std::string_view key) { return json.at(key, where).string(base::child(where, key)); };
  r.workload = text("workload");
  r.method = text("method");
  r.name = text("case");
  r.seed = static_cast<uint64_t>(json.at("seed", where).integer(base::child(where, "seed"), 0));
  r.training = json.at("training", where).boolean(base::child(where, "training"));
  r.applicable = json.at("applicable", where).boolean(base::child(where, "applicable"));
  r.hits = static_cast<uint64_t>(json.at("hits", where).integer(base::child(where, "hits"), 0));
  r.truth = names_from(json, "truth", where);
  r.reported = names_from(json, "reported", where);
  r.ranked = names_from(json, "ranked", where);
  r.overlap = json.at("overlap", where).number(base::child(where, "overlap"));
  return r;
}

double Tally::precision() const { return reports ? double(reports - spurious) / double(reports) : 0; }
double Tally::recall() const { return named + missed ? double(named) / double(named + missed) : 0; }
double Tally::f1() const {
  const double p = precision(), r = recall();
  return p + r > 0 ? 2 * p * r / (p + r) : 0;
}

void Tally::add(const RunResult& r) {
  if (!r.applicable) return void(++elsewhere);
  if (r.truth.empty()) {
    ++clean;
    ++paper.true_negative;
    alarms += !r.reported.empty();
    return;
  }
  if (r.hits == 0) return void(++untouched);
  uint64_t found = 0, wrong = 0;
  for (const auto& t : r.truth) found += holds(r.reported, t);
  for (const auto& n : r.reported) wrong += !holds(r.truth, n);
  paper.true_positive += found;
  paper.false_negative += r.truth.size() - found;
  paper.false_positive += wrong;
  const bool exact = found == r.truth.size() && r.reported.size() == r.truth.size();
  if (r.hits < kFew) {
    ++few;
    few_right += exact;
    return;
  }
  ++cases;
  right += exact;
  const bool core = r.truth[0].starts_with("core"), link = r.truth[0].starts_with("link");
  ++(core ? cores : link ? links : others);
  (core ? cores_right : link ? links_right : others_right) += exact;
  first += holds(r.ranked, r.truth[0], 1);
  first_three += holds(r.ranked, r.truth[0], 3);
  in_time += r.overlap >= kInTime;
  named += found;
  missed += r.truth.size() - found;
  reports += r.reported.size();
  spurious += wrong;
}

Rows tally(const std::vector<RunResult>& results, bool training) {
  Rows rows;
  for (const RunResult& r : results) {
    if (r.training == training || r.truth.empty()) rows[{r.workload, r.method}].add(r);
  }
  return rows;
}

finding::Diagnosis summarize(const std::vector<RunResult>& results, const std::string& title) {
  const Rows rows = tally(results);
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = title;
  Tally all;
  uint64_t training = 0;
  for (const RunResult& r : results) {
    if (r.training && !r.truth.empty())
      ++training;
    else
      all.add(r);
  }
  d.verdict = "Exactly the right component and nothing else in " + rate(all.right, all.cases) +
              " of faulty runs; " + rate(all.alarms, all.clean) + " of clean runs with any report.";
  d.facts = {{"runs", std::to_string(results.size())},
             {"kept for training, not counted", std::to_string(training)},
             {"cases that touch nothing", std::to_string(all.untouched)},
             {"cases not on the chip", std::to_string(all.elsewhere)}};
  d.figures = {paper_table(rows), strict_table(rows)};
  return d;
}

}  // namespace lento::chip
