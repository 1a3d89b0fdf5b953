// From the state of a Detector to a Diagnosis: findings with their evidence, figures, what was not judged.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>

#include "base/units.h"
#include "evidence/sample.h"
#include "fleet/detect/detect.h"
#include "fleet/detect/tuning.h"
#include "fleet/scan/fault_types.h"

namespace lento::fleet {
namespace {

using finding::Diagnosis;
using finding::Evidence;
using finding::Finding;

constexpr size_t kMapRows = 64;     // machines in the heat map
constexpr size_t kLineFigures = 3;  // findings that get their own pictures

struct View {
  const Detector& detector;
  const DetectOptions& options;
  const MetricSeries* devices;
  const Fleet& fleet() const {
    return detector.fleet();
  }
};

double seconds(int64_t ms) {
  return double(ms) / 1000;
}

// Which GPU was lowest or highest when a reduced metric deviated ("power:min" -> device).
std::string device_text(const View& view, const Verdict& v, const MetricScore& s) {
  const MetricSeries* series = view.devices;
  if (!series || !series->device_of.contains(s.metric))
    return "";
  const auto& devices = series->device_of.at(s.metric);
  std::map<uint16_t, size_t> votes;
  for (size_t step = 0; step < series->steps; ++step) {
    const int64_t t = series->time_ms(step);
    if (t < v.onset_ms || t > v.last_ms)
      continue;
    if (const uint16_t d = devices[step * series->machines.size() + v.machine])
      ++votes[d];
  }
  if (votes.empty())
    return "";
  const auto most = std::ranges::max_element(votes, [](const auto& a, const auto& b) {
    return a.second < b.second;
  });
  return " (device " + series->devices[most->first] + ")";
}

Evidence metric_evidence(const View& view, const Verdict& v, const MetricScore& s) {
  const std::string& metric = view.fleet().metrics[s.metric];
  const double reference = s.level - s.deviation;
  std::string share;
  if (std::abs(reference) > 1e-9) {
    share = " (" + base::format_number(100 * std::abs(s.deviation / reference), 3) + " % " +
            (s.deviation < 0 ? "less)" : "more)");
  }
  return {
      metric + device_text(view, v, s) + share + ", where its peers have " +
          base::format_measure(reference, "") + " and " + base::format_measure(s.threshold, "") +
          " off would have been named",
      s.level,
      "",
      "metric " + metric};
}

void add_fault_odds(const View& view, const Verdict& v, Finding& f) {
  std::array<bool, kMetricClasses> watched{};
  std::array<bool, kMetricClasses> shown{};
  for (const std::string& name : view.fleet().metrics) {
    const MetricClass c = metric_class(name);
    if (c != MetricClass::Other)
      watched[size_t(c)] = true;
  }
  for (const MetricScore& s : v.metrics) {
    const MetricClass c = metric_class(view.fleet().metrics[s.metric]);
    if (c != MetricClass::Other)
      shown[size_t(c)] = true;
  }
  if (std::ranges::count(watched, true) < 2)
    return;  // one class cannot tell types apart
  const auto odds = likely_faults(watched, shown);
  for (size_t i = 0; i < 3; ++i) {
    f.evidence.push_back(
        {"likely fault type " + std::to_string(i + 1) + ": " + std::string(odds[i].name),
         odds[i].probability,
         "probability",
         "rates of 140 production faults (Minder, Table 1)"});
  }
}

// A label all active verdicts share while other machines differ: a switch, a rack.
std::string shared_label(const View& view) {
  std::vector<size_t> named;
  for (const Verdict& v : view.detector.verdicts())
    named.push_back(v.machine);
  if (named.size() < 2 || view.fleet().labels.size() < view.fleet().machines.size())
    return "";
  for (const auto& [key, value] : view.fleet().labels[named[0]]) {
    const auto has = [&, &k = key, &val = value](size_t m) {
      const auto& l = view.fleet().labels[m];
      return std::ranges::find(l, std::pair{k, val}) != l.end();
    };
    const bool all = std::ranges::all_of(named, has);
    size_t count = 0;
    for (size_t m = 0; m < view.fleet().machines.size(); ++m)
      count += has(m);
    if (all && count * 2 <= view.fleet().machines.size())
      return key + "=" + value;
  }
  return "";
}

Finding silent_finding(const View& view, const Verdict& v) {
  Finding f;
  f.subject = view.fleet().machines[v.machine];
  f.category = "silent machine";
  f.summary = f.subject + " has sent no sample since " + base::format_number(seconds(v.onset_ms), 13) +
              " s while its peers report";
  f.score = v.score / (1 + v.score);
  f.when = finding::TimeWindow{seconds(v.onset_ms), seconds(v.last_ms), "s"};
  f.evidence.push_back({"no sample for", seconds(v.last_ms - v.onset_ms), "s", "all metrics of the machine"});
  f.evidence.push_back({"first named at", seconds(v.raised_ms), "s", "detector"});
  f.next_step = "Check that the machine and its exporter are alive.";
  return f;
}

Finding deviation_finding(const View& view, const Verdict& v) {
  Finding f;
  const MetricScore& top = v.metrics.front();
  const double reference = top.level - top.deviation;
  const std::string& metric = view.fleet().metrics[top.metric];
  f.subject = view.fleet().machines[v.machine];
  f.category = "deviating machine";
  f.score = v.score / (1 + v.score);
  f.when = finding::TimeWindow{seconds(v.onset_ms), seconds(v.last_ms), "s"};
  if (std::abs(reference) > 1e-9 && std::abs(top.level) > 1e-9)
    finding::set_ratio(f, top.level, reference, metric);
  f.summary = f.subject + ": " + metric + " is " + base::format_measure(top.level, "") +
              " where its peers have " + base::format_measure(reference, "") + ", for " +
              base::format_number(seconds(v.last_ms - v.onset_ms), 4) + " s";
  for (const MetricScore& s : v.metrics)
    f.evidence.push_back(metric_evidence(view, v, s));
  f.evidence.push_back(
      {"first named at",
       seconds(v.raised_ms),
       "s",
       "window of " + base::format_number(v.horizon_s, 4) + " s"});
  if (!v.also_affected.empty()) {
    std::string list;
    for (size_t i = 0; i < v.also_affected.size() && i < 8; ++i) {
      list += (i ? ", " : "") + view.fleet().machines[v.also_affected[i]];
    }
    f.evidence.push_back(
        {"weaker deviation of the same metrics on " + list,
         double(v.also_affected.size()),
         "machines",
         "detector"});
  }
  add_fault_odds(view, v, f);
  const std::string label = shared_label(view);
  if (!label.empty()) {
    f.evidence.push_back(
        {"all named machines share " + label + ", which most others do not have", {}, "", "labels"});
  }
  f.next_step =
      label.empty()
          ? "Drain the machine and run its node checks; compare the metrics above with a healthy peer."
          : "Look at what " + label + " has in common (switch, rack, power) before the machines.";
  return f;
}

void add_lines(const View& view, const Verdict& v, Diagnosis& d) {
  const ScoreHistory& h = view.detector.history();
  if (v.silent || h.time_ms.size() < 2)
    return;
  const size_t metric = v.metrics.front().metric;
  const size_t machines = view.fleet().machines.size();
  const size_t band = metric * view.detector.groups() + view.detector.group_of(v.machine);
  const std::string& name = view.fleet().machines[v.machine];
  finding::SeriesFigure level;
  finding::SeriesFigure score;
  level.x_name = score.x_name = "time, s";
  level.y_name = view.fleet().metrics[metric];
  score.y_name = "deviation / threshold";
  finding::SeriesFigure::Band peers{"peers, 10 to 90 %", {}, {}, {}};
  finding::SeriesFigure::Line line{name, {}, {}, true, false};
  finding::SeriesFigure::Line middle{"peer median", {}, {}, false, true};
  finding::SeriesFigure::Line track{name, {}, {}, true, false};
  finding::SeriesFigure::Line limit{"threshold", {}, {}, false, true};
  for (size_t i = 0; i < h.time_ms.size(); ++i) {
    const double x = seconds(h.time_ms[i]);
    track.x.push_back(x);
    track.y.push_back(h.score[i][metric * machines + v.machine]);
    const float y = h.level[i][metric * machines + v.machine];
    if (std::isnan(y) || std::isnan(h.low[i][band]))
      continue;
    peers.x.push_back(x);
    peers.low.push_back(h.low[i][band]);
    peers.high.push_back(h.high[i][band]);
    middle.x.push_back(x);
    middle.y.push_back(h.median[i][band]);
    line.x.push_back(x);
    line.y.push_back(y);
  }
  limit.x = {track.x.front(), track.x.back()};
  limit.y = {1, 1};
  level.bands = {peers};
  level.lines = {middle, line};
  score.lines = {limit, track};
  level.marks = score.marks = {seconds(v.onset_ms), seconds(v.raised_ms)};
  d.figures.push_back(
      {name + ": " + view.fleet().metrics[metric] + " against its peers",
       "Level over the shortest window. Marks: estimated onset, first named.",
       std::move(level)});
  d.figures.push_back({name + ": score over time", "At 1 the machine is named.", std::move(score)});
}

void add_heat_map(const View& view, Diagnosis& d) {
  const ScoreHistory& h = view.detector.history();
  const size_t machines = view.fleet().machines.size();
  if (h.time_ms.size() < 2)
    return;
  std::vector<size_t> order(machines);
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<double> peak(machines, 0);
  for (size_t m = 0; m < machines; ++m) {
    for (const auto& column : h.score) {
      for (size_t c = m; c < column.size(); c += machines)
        peak[m] = std::max<double>(peak[m], column[c]);
    }
  }
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return peak[a] > peak[b];
  });
  order.resize(std::min(machines, kMapRows));
  finding::HeatMapFigure map;
  map.x_name = "time, s";
  map.value_name = "largest deviation / threshold";
  const size_t merge = (h.time_ms.size() + 127) / 128;
  for (size_t i = 0; i < h.time_ms.size(); i += merge)
    map.columns.push_back(seconds(h.time_ms[i]));
  for (const size_t m : order) {
    map.rows.push_back(view.fleet().machines[m]);
    for (size_t i = 0; i < h.time_ms.size(); i += merge) {
      float best = 0;
      for (size_t j = i; j < std::min(i + merge, h.score.size()); ++j) {
        for (size_t c = m; c < h.score[j].size(); c += machines)
          best = std::max(best, h.score[j][c]);
      }
      map.values.push_back(std::min(best, 10.0f));
    }
  }
  for (const Finding& f : d.findings)
    map.blamed.push_back(f.subject);
  const std::string shown = machines > kMapRows ? "The " + std::to_string(kMapRows) + " most deviating of " +
                                                      std::to_string(machines) + " machines. "
                                                : "";
  d.figures.push_back(
      {"Fleet over time",
       shown + "Values over 10 are shown as 10; named machines are outlined.",
       std::move(map)});
}

void add_ranking(const View& view, Diagnosis& d) {
  const size_t machines = view.fleet().machines.size();
  std::vector<std::pair<double, size_t>> rank;
  for (size_t m = 0; m < machines; ++m)
    rank.emplace_back(-view.detector.peak_score(m), m);
  std::ranges::sort(rank);
  finding::TableFigure table;
  table.columns = {"machine", "peak score"};
  for (size_t i = 0; i < std::min<size_t>(10, machines); ++i) {
    table.rows.push_back({view.fleet().machines[rank[i].second], base::format_number(-rank[i].first, 4)});
  }
  d.figures.push_back(
      {"Machines by abnormality",
       "Mean of the top quarter of metric scores; 1 is the threshold.",
       std::move(table)});
}

// A job that is slow everywhere has no odd machine.
Finding slow_fleet(const finding::Expectation& e, const std::string& metric, double seen) {
  const double factor = seen / e.value;
  const double limit = 1 + std::max(2 * e.relative_error, tuning::kSlowFleet.value);
  Finding f;
  f.subject = "fleet";
  f.category = "slower than predicted";
  f.summary = "The whole fleet's " + metric + " is " + base::format_number(seen) + " " + e.unit + ", " +
              base::format_number(factor, 3) + " times the expected " + base::format_number(e.value) + " " +
              e.unit;
  f.score = 1 - limit / factor * 0.5;
  f.factor = factor;
  f.evidence.push_back({"median over machines and time", seen, e.unit, "metric " + metric});
  f.evidence.push_back({"expected for " + e.subject, e.value, e.unit, e.source});
  f.next_step =
      "No single machine explains this: look at the configuration, the network and the input pipeline.";
  return f;
}

// Many that change at once accuse nobody; who is asked whether all is well should know of them.
void add_together(const View& view, Diagnosis& d) {
  constexpr size_t kNamed = 8;
  const Together& t = view.detector.together();
  if (t.machines.empty())
    return;
  std::string names;
  for (size_t i = 0; i < std::min(t.machines.size(), kNamed); ++i)
    names += (i ? ", " : "") + view.fleet().machines[t.machines[i]];
  const std::string lasted = base::format_quantity(seconds(t.end_ms - t.begin_ms), base::Dimension::Time);
  d.notes.push_back(
      std::to_string(t.machines.size()) + " machines deviated from their peers in " +
      view.fleet().metrics[t.metric] + " at once, for " + lasted + " at least until " +
      base::format_number(seconds(t.end_ms), 13) + " s: " + names +
      (t.machines.size() > kNamed ? ", ..." : "") +
      ". So many are taken for a change of the job and not blamed; if it was none, look at what they share, "
      "or "
      "let --group-by separate machines of different work");
  if (d.findings.empty())
    d.verdict = "No single machine stands out, but " + std::to_string(t.machines.size()) +
                " left their peers together.";
}

// Who says that nothing stands out says what would have.
void add_reach(const View& view, Diagnosis& d) {
  const std::vector<Reach> reach = view.detector.reach();
  if (reach.empty())
    return;
  d.facts.emplace_back("deviation that would be named", reach_text(view.detector));
  const Reach& finest = reach.front();
  if (finest.share() > tuning::kCoarse.value)
    d.notes.push_back(
        "A machine that is less than " + base::format_number(100 * finest.share(), 2) +
        " % off in its metrics might not be named: there are few peers, or their noise is large; more " +
        "machines, a longer record or a steadier metric would show less");
}

void add_unjudged(const View& view, Diagnosis& d) {
  size_t machines = 0;
  const auto groups = view.detector.unjudged_groups();
  for (const auto& g : groups)
    machines += g.size();
  if (groups.empty())
    return;
  d.notes.push_back(
      std::to_string(machines) + " machines in " + std::to_string(groups.size()) +
      " groups were not judged: fewer than " + std::to_string(view.options.min_peers) +
      " peers in the group");
}

}  // namespace

ExpectationCheck check_expectations(const Detector& detector, const DetectOptions& options, int64_t from_ms) {
  const ScoreHistory& h = detector.history();
  ExpectationCheck held;
  for (const finding::Expectation& e : options.expectations) {
    const auto& metrics = detector.fleet().metrics;
    auto at = std::ranges::find(metrics, e.metric);
    if (at == metrics.end())
      at = std::ranges::find(metrics, options.expected_metric);
    if (at == metrics.end() || e.value <= 0) {
      held.notes.push_back(
          "Expectation '" + e.subject + "' (" + e.metric + "): no metric of the fleet to compare with");
      continue;
    }
    const size_t metric = size_t(at - metrics.begin());
    std::vector<double> medians;
    for (size_t column = 0; column < h.median.size(); ++column) {
      for (size_t g = 0; h.time_ms[column] >= from_ms && g < detector.groups(); ++g) {
        const float v = h.median[column][metric * detector.groups() + g];
        if (!std::isnan(v))
          medians.push_back(v);
      }
    }
    if (medians.empty())
      continue;
    const double seen = evidence::median(medians);
    const double factor = seen / e.value;
    held.facts.emplace_back(*at + " against expectation", base::format_number(factor, 3) + " x");
    if (factor > 1 + std::max(2 * e.relative_error, tuning::kSlowFleet.value))
      held.slower.push_back(slow_fleet(e, *at, seen));
  }
  return held;
}

// What the records do not allow to judge is not called healthy.
static void conclude_outcome(const Detector& detector, const DetectOptions& options, Diagnosis& d) {
  const std::string covered = covered_text(detector);
  const std::string peers = std::to_string(options.min_peers);
  if (!d.findings.empty())
    return finding::judged(d, covered);
  if (detector.unjudged_groups().size() == detector.groups()) {
    return finding::cannot_judge(
        d,
        "no group of peers has " + peers + " machines",
        "read all machines of the job, or choose other labels with --group-by",
        covered);
  }
  if (detector.coverage().looks > 0)
    return finding::judged(d, covered);
  const std::string needed = base::format_quantity(detector.needed_s(), base::Dimension::Time);
  finding::cannot_judge(
      d,
      "no window of any metric is filled on " + peers + " machines at once",
      "read at least " + needed + " of a metric that all machines report at this step",
      covered);
}

Diagnosis conclude(const Detector& detector, const DetectOptions& options, const MetricSeries* devices) {
  const View view{detector, options, devices};
  Diagnosis d;
  d.scale = "fleet";
  d.title = "Fleet of " + std::to_string(view.fleet().machines.size()) + " machines";
  std::map<size_t, const Verdict*> strongest;  // one finding a machine: its strongest verdict
  for (const Verdict& v : detector.verdicts()) {
    const Verdict*& best = strongest[v.machine];
    if (!best || v.score > best->score)
      best = &v;
  }
  std::vector<const Verdict*> shown;
  for (const auto& [machine, v] : strongest)
    shown.push_back(v);
  std::ranges::stable_sort(shown, [](const Verdict* a, const Verdict* b) {
    return a->score > b->score;
  });
  for (const Verdict* v : shown)
    d.findings.push_back(v->silent ? silent_finding(view, *v) : deviation_finding(view, *v));
  ExpectationCheck held = check_expectations(detector, options);
  d.expectations = options.expectations;
  std::move(held.slower.begin(), held.slower.end(), std::back_inserter(d.findings));
  std::move(held.facts.begin(), held.facts.end(), std::back_inserter(d.facts));
  std::move(held.notes.begin(), held.notes.end(), std::back_inserter(d.notes));
  finding::sort_findings(d.findings);
  d.verdict =
      d.findings.empty()
          ? "No machine stands out from its peers."
          : d.findings.front().summary +
                (d.findings.size() > 1 ? "; and " + std::to_string(d.findings.size() - 1) + " more" : "");
  conclude_outcome(detector, options, d);
  d.facts.emplace_back("machines", std::to_string(view.fleet().machines.size()));
  d.facts.emplace_back("metrics", std::to_string(view.fleet().metrics.size()));
  d.facts.emplace_back("step", base::format_quantity(seconds(view.fleet().step_ms), base::Dimension::Time));
  add_together(view, d);
  add_reach(view, d);
  for (size_t i = 0; i < std::min(shown.size(), kLineFigures); ++i)
    add_lines(view, *shown[i], d);
  add_heat_map(view, d);
  add_ranking(view, d);
  add_unjudged(view, d);
  return d;
}

Detector detector_of(const MetricSeries& s, const DetectOptions& options) {
  return Detector({s.machines, s.labels, s.metrics, s.step_ms}, options);
}

void gather_row(const MetricSeries& s, size_t step, std::vector<float>& row) {
  row.resize(s.metrics.size() * s.machines.size());
  for (size_t k = 0; k < s.metrics.size(); ++k) {
    const auto from = s.row(k, step);
    std::ranges::copy(from, row.begin() + static_cast<std::ptrdiff_t>(k * s.machines.size()));
  }
}

Diagnosis diagnose(const MetricSeries& series, const DetectOptions& options, const base::Progress& progress) {
  Detector detector = detector_of(series, options);
  std::vector<float> row;
  for (size_t step = 0; step < series.steps && !progress.stopped(); ++step) {
    gather_row(series, step, row);
    detector.push(series.time_ms(step), row);
    if (step % 64 == 63)
      progress("steps", double(step), double(series.steps));
  }
  return conclude(detector, options, &series);
}

}  // namespace lento::fleet
