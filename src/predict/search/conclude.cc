// Describes the results of a search as a diagnosis: the best design, fronts of time against energy or cost,
// sensitivities of the shares, a comparison of methods, and a table of all points.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/units.h"
#include "predict/crossflow/machine.h"
#include "predict/search/search.h"

namespace lento::predict {
namespace {

using base::Dimension;
using base::format_number;
using base::format_quantity;
using finding::Figure;
using finding::ScatterFigure;
using finding::SeriesFigure;
using finding::TableFigure;

// Returns a readable name of a design: process node, memory, network, power budget, chip area and shape.
std::string point_name(const SearchSpace& space, const DesignPoint& p) {
  const int nodes = p.package_dim * p.package_dim;
  const std::string& shape = space.jobs[p.job].name;
  return p.logic.name + ", " + p.memory.name + ", " + p.network.name +
         (nodes > 1 ? ", " + std::to_string(nodes) + " nodes a package" : "") + ", " +
         format_quantity(p.power, Dimension::Power) +
         (space.chip_area.size() > 1 ? ", " + format_number(p.chip_area) + " mm2" : "") +
         (shape.empty() ? "" : ", " + shape);
}

std::string seconds(double value) {
  return std::isfinite(value) ? format_quantity(value, Dimension::Time) : "does not fit";
}

// Draws time against logic node, with one line for each combination of the other choices.
Figure technology_figure(const SearchSpace& space, const std::vector<DesignResult>& results) {
  SeriesFigure f;
  f.x_name = "logic steps after N12";
  f.y_name = "time of an iteration (s)";
  f.log_y = true;
  std::map<std::string, size_t> lines;
  for (const DesignResult& r : results) {
    std::string name = point_name(space, r.point);
    name = name.substr(name.find(", ") + 2);
    const auto [at, fresh] = lines.emplace(name, f.lines.size());
    if (fresh)
      f.lines.push_back({name, {}, {}});
    f.lines[at->second].x.push_back(r.point.logic.value);
    f.lines[at->second].y.push_back(std::isfinite(r.joint_s) ? r.joint_s : std::nan(""));
  }
  return {"Time against technology", "Each line is one memory and network generation.", f};
}

double measured(const SearchSpace& space, const DesignResult& r, Measure measure) {
  if (measure == Measure::Time)
    return r.joint_s;
  if (measure == Measure::Energy)
    return energy_of(r.config, space.nodes, r.joint_s);
  return cost_of(space.goal, r.config, r.point.logic.name, space.nodes, r.joint_s);
}

// Draws time against another measure for all points and marks the Pareto front.
Figure front_figure(
    const SearchSpace& space,
    const std::vector<DesignResult>& results,
    const DesignResult& best,
    Measure other) {
  ScatterFigure f;
  f.x_name = title_of(Measure::Time);
  f.y_name = title_of(other);
  f.log_x = f.log_y = true;
  std::vector<const DesignResult*> sorted;
  for (const DesignResult& r : results) {
    if (std::isfinite(r.joint_s))
      sorted.push_back(&r);
  }
  std::ranges::stable_sort(sorted, [](const auto* a, const auto* b) {
    return a->joint_s < b->joint_s;
  });
  f.groups = {{"designs", {}, false}, {"front", {}, true}, {"best", {}, false}};
  double least = INFINITY;
  for (const DesignResult* r : sorted) {
    const double value = measured(space, *r, other);
    f.groups[r == &best ? 2 : 0].points.push_back({r->joint_s, value, point_name(space, r->point)});
    if (value >= least)
      continue;
    least = value;
    f.groups[1].points.push_back({r->joint_s, value, point_name(space, r->point)});
  }
  return {
      other == Measure::Energy ? "Time against energy" : "Time against cost",
      "The front joins the designs that no other beats in both.",
      f};
}

// Returns the table of all designs with their iteration time and resources.
Figure results_table(const SearchSpace& space, const std::vector<DesignResult>& results) {
  TableFigure t{
      {"shape",
       "logic",
       "memory",
       "network",
       "nodes a package",
       "power",
       "chip area (mm2)",
       "ways",
       "data parallel (s)",
       "best way (s)",
       "and resources (s)",
       "energy (J)",
       "gain",
       "way"},
      {}};
  const auto number = [](double s) {
    return std::isfinite(s) ? format_number(s) : "does not fit";
  };
  for (const DesignResult& r : results) {
    const std::string gain =
        std::isfinite(r.data_parallel_s) ? format_number(r.data_parallel_s / r.joint_s, 3) + "x" : "-";
    t.rows.push_back(
        {space.jobs[r.point.job].name,
         r.point.logic.name,
         r.point.memory.name,
         r.point.network.name,
         std::to_string(r.point.package_dim * r.point.package_dim),
         format_quantity(r.point.power, Dimension::Power),
         format_number(r.point.chip_area),
         std::to_string(r.ways),
         number(r.data_parallel_s),
         number(r.parallel_s),
         number(r.joint_s),
         number(energy_of(r.config, space.nodes, r.joint_s)),
         gain,
         to_string(r.way)});
  }
  return {
      "All designs",
      "Time of an iteration: data parallelism, the best way to run it, the best resources too.",
      t};
}

// Tabulates the relative change of time when the share of one component grows by 10 % at the cost of the
// other components of its class (area, power or perimeter).
Figure sensitivity_table(const SearchSpace& space, const DesignResult& best) {
  const char* components[] = {"core", "L2", "L1", "registers", "DRAM", "network inside", "network outside"};
  const char* classes[] = {"area", "power", "perimeter"};
  TableFigure t{{"class", "component", "share", "time when 10 % larger"}, {}};
  const Shares shares = shares_of(best.config);
  const bool inside = shares[0].size() == kComponents;
  for (size_t c = 0; c < shares.size(); ++c) {
    for (size_t i = 0; i < shares[c].size(); ++i) {
      Shares tried = shares;
      tried[c][i] *= 1.1;
      // The shares of a class are scaled to their former sum, which is below 1 when part of the budget is
      // unused.
      const double before = std::accumulate(shares[c].begin(), shares[c].end(), 0.0);
      const double after = std::accumulate(tried[c].begin(), tried[c].end(), 0.0);
      for (double& share : tried[c])
        share *= before / after;
      const double time = job_time(with_shares(best.config, tried), best.way, space.rules).seconds;
      const double change = time / best.joint_s - 1;
      const char* edges[] = {"DRAM", inside ? "network inside" : "network outside", "network outside"};
      const std::string name = c == 2 ? edges[i] : components[!inside && i >= kIntra ? i + 1 : i];
      t.rows.push_back(
          {classes[c],
           name,
           format_number(shares[c][i] * 100, 3) + " %",
           std::isfinite(change) ? format_number(change * 100, 3) + " %" : "cannot work"});
    }
  }
  return {
      "Sensitivities of the best design",
      "Negative: giving this component more would help, so the search ended early.",
      t};
}

// Adds the compute rate, memory levels and links of the best design to the facts.
void add_machine_facts(const SearchSpace& space, const DesignResult& best, finding::Diagnosis& d) {
  const Machine m =
      generate(best.config, space.rules.as_released ? BelowMargin::SlowerClock : BelowMargin::FewerUnits);
  d.facts.emplace_back("compute", format_quantity(m.raw_flops, Dimension::Rate));
  const char* names[] = {"registers", "L1", "L2", "DRAM"};
  for (size_t i = 4; i-- > 0;) {
    d.facts.emplace_back(
        names[i],
        format_quantity(m.memory[i].bytes, Dimension::Bytes) + ", " +
            format_quantity(m.memory[i].bytes_per_s, Dimension::BytesPerTime));
  }
  d.facts.emplace_back("network", format_quantity(m.inter.bytes_per_s, Dimension::BytesPerTime));
  if (best.point.package_dim > 1)
    d.facts.emplace_back(
        "network inside a package",
        format_quantity(m.intra.bytes_per_s, Dimension::BytesPerTime));
}

// The results of one method on one design point, over all seeds.
struct MethodSummary {
  // near: number of seeds within 1 % of the best value found for the point.
  size_t seeds = 0;
  size_t near = 0;
  double best = INFINITY;
  double worst = 0;
  double sum_ratio = 0;
  uint64_t evaluations = 0;
};

// Returns a table that compares search methods by the best value they reach and the evaluations they need.
Figure comparison_table(const SearchSpace& space, const std::vector<Trial>& trials) {
  std::map<size_t, double> known;
  for (const Trial& t : trials) {
    const auto [at, fresh] = known.emplace(t.point, t.value);
    at->second = std::min(at->second, t.value);
  }
  std::map<std::pair<size_t, Method>, MethodSummary> by;
  for (const Trial& t : trials) {
    MethodSummary& s = by[{t.point, t.method}];
    ++s.seeds;
    s.near += t.value <= 1.01 * known[t.point];
    s.best = std::min(s.best, t.value);
    s.worst = std::max(s.worst, t.value);
    s.sum_ratio += t.value / known[t.point];
    s.evaluations = std::max(s.evaluations, t.evaluations);
  }
  const std::vector<DesignPoint> points = design_points(space);
  TableFigure table{
      {"design",
       "method",
       "seeds",
       "within 1 % of the best known",
       "best",
       "worst",
       "mean over best known",
       "evaluations a seed, most"},
      {}};
  for (const auto& [key, s] : by) {
    table.rows.push_back(
        {point_name(space, points[key.first]),
         name_of(key.second),
         std::to_string(s.seeds),
         format_number(100.0 * double(s.near) / double(s.seeds), 3) + " %",
         format_number(s.best),
         format_number(s.worst),
         format_number(s.sum_ratio / double(s.seeds)),
         std::to_string(s.evaluations)});
  }
  return {
      "Methods compared",
      "Each seed has the same number of evaluations at most, whatever the method.",
      table};
}

// Writes the verdict and facts about the best design.
void add_best(const SearchSpace& space, const DesignResult& best, finding::Diagnosis& d) {
  const bool late = space.goal.latency_s > 0 && best.joint_s > space.goal.latency_s;
  d.verdict = (late ? "None within the latency; the nearest: " : "Best: ") + point_name(space, best.point) +
              " with " + to_string(best.way) + ", " + seconds(best.joint_s) + " an iteration";
  if (std::isfinite(best.data_parallel_s))
    d.verdict += ", " + format_number(best.data_parallel_s / best.joint_s, 3) +
                 " times faster than data parallelism on the same technology";
  d.verdict += ".";
  d.facts = {
      {"iteration", seconds(best.joint_s)},
      {"energy of an iteration",
       format_quantity(energy_of(best.config, space.nodes, best.joint_s), Dimension::Energy)}};
  if (!space.goal.prices.wafer_usd.empty()) {
    d.facts.emplace_back(
        "cost of an iteration",
        format_quantity(measured(space, best, Measure::Cost), Dimension::Money));
    d.facts.emplace_back(
        "price of a node",
        format_quantity(node_price(space.goal.prices, best.config, best.point.logic.name), Dimension::Money));
  }
  add_machine_facts(space, best, d);
  JobRules any = space.rules;
  any.must_fit = false;
  const JobTime t = job_time(best.config, best.way, any);
  d.facts.emplace_back("memory needed", format_quantity(t.memory_bytes, Dimension::Bytes));
  d.facts.emplace_back("memory there", format_quantity(t.memory_there, Dimension::Bytes));
}

}  // namespace

finding::Diagnosis conclude(
    const SearchSpace& space,
    const std::vector<DesignResult>& results,
    const std::vector<Trial>& trials) {
  finding::Diagnosis d;
  d.scale = "predict";
  d.title = "Search over " + std::to_string(results.size()) + " designs of " + std::to_string(space.nodes) +
            " nodes";
  const DesignResult* best = best_of(results);
  if (!best) {
    d.verdict =
        "No design of this space can run the workload: its memory does not hold it, or a budget leaves a "
        "component without power.";
    if (!results.empty())
      d.figures.push_back(results_table(space, results));
    finding::cannot_judge(d, d.verdict, "give larger budgets, more nodes, or more ways to run it");
    return d;
  }
  add_best(space, *best, d);
  uint64_t evaluations = 0;
  for (const DesignResult& r : results)
    evaluations += r.evaluations;
  d.facts.emplace_back("designs evaluated", std::to_string(evaluations));
  const bool transformer = best->way.training.has_value();
  d.expectations = {
      {"training iteration",
       "time",
       best->joint_s,
       "s",
       0.16,
       transformer ? "data sheet of the generated machine; a machine that was never measured"
                   : "CrossFlow's model of LSTM training; error on one V100 as published"}};
  if (transformer)
    d.notes.push_back(
        "Times are those of the machine's kernels and links; 'lento predict' on the written sheet states "
        "them as "
        "'time, kernels of the sheet', and adds what software takes to the time that it expects.");
  d.figures = {technology_figure(space, results), front_figure(space, results, *best, Measure::Energy)};
  if (!space.goal.prices.wafer_usd.empty())
    d.figures.push_back(front_figure(space, results, *best, Measure::Cost));
  d.figures.push_back(results_table(space, results));
  d.figures.push_back(sensitivity_table(space, *best));
  if (!trials.empty())
    d.figures.push_back(comparison_table(space, trials));
  if (!best->fits)
    finding::cannot_judge(
        d,
        "no design's memory holds the job; the fastest if it did: " + d.verdict,
        "give more memory or more nodes, or 'memory_rule: must_fit' with more ways to run it");
  return d;
}

}  // namespace lento::predict
