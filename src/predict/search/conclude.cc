#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
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

std::string point_name(const DesignPoint& p) {
  const int nodes = p.package_dim * p.package_dim;
  return p.logic.name + ", " + p.memory.name + ", " + p.network.name +
         (nodes > 1 ? ", " + std::to_string(nodes) + " nodes a package" : "") + ", " +
         format_quantity(p.power, Dimension::Power);
}

double energy_of(const SearchSpace& space, const DesignResult& r) {
  return space.nodes * r.point.power * r.joint_s;
}

double value_of(const SearchSpace& space, const DesignResult& r) {
  return space.objective == "energy" ? energy_of(space, r) : r.joint_s;
}

std::string seconds(double value) {
  return std::isfinite(value) ? format_quantity(value, Dimension::Time) : "does not fit";
}

// Time against logic node, one line for each memory and network.
Figure technology_figure(const std::vector<DesignResult>& results) {
  SeriesFigure f;
  f.x_name = "logic steps after N12";
  f.y_name = "time of an iteration (s)";
  f.log_y = true;
  std::map<std::string, size_t> lines;
  for (const DesignResult& r : results) {
    const int nodes = r.point.package_dim * r.point.package_dim;
    const std::string name =
        r.point.memory.name + " " + r.point.network.name + (nodes > 1 ? " x" + std::to_string(nodes) : "");
    const auto [at, fresh] = lines.emplace(name, f.lines.size());
    if (fresh) f.lines.push_back({name, {}, {}});
    f.lines[at->second].x.push_back(r.point.logic.value);
    f.lines[at->second].y.push_back(std::isfinite(r.joint_s) ? r.joint_s : std::nan(""));
  }
  return {"Time against technology", "Each line is one memory and network generation.", f};
}

Figure front_figure(const SearchSpace& space, const std::vector<DesignResult>& results,
                    const DesignResult& best) {
  ScatterFigure f;
  f.x_name = "time of an iteration (s)";
  f.y_name = "energy of an iteration (J)";
  f.log_x = f.log_y = true;
  std::vector<const DesignResult*> sorted;
  for (const DesignResult& r : results) {
    if (std::isfinite(r.joint_s)) sorted.push_back(&r);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return a->joint_s < b->joint_s; });
  f.groups.resize(2);
  f.groups[0].name = "designs";
  f.groups[1] = {"front", {}, true};
  double least = INFINITY;
  for (const DesignResult* r : sorted) {
    const double energy = energy_of(space, *r);
    f.groups[0].points.push_back({r->joint_s, energy, point_name(r->point), r == &best});
    if (energy >= least) continue;
    least = energy;
    f.groups[1].points.push_back({r->joint_s, energy, point_name(r->point)});
  }
  return {"Time against energy", "The front joins the designs that no other beats in both.", f};
}

Figure results_table(const std::vector<DesignResult>& results) {
  TableFigure t{{"logic", "memory", "network", "nodes a package", "power", "data parallel", "best strategy",
                 "and resources", "gain", "strategy"},
                {}};
  for (const DesignResult& r : results) {
    t.rows.push_back(
        {r.point.logic.name, r.point.memory.name, r.point.network.name,
         std::to_string(r.point.package_dim * r.point.package_dim),
         format_quantity(r.point.power, Dimension::Power), seconds(r.data_parallel_s), seconds(r.parallel_s),
         seconds(r.joint_s),
         (std::isfinite(r.data_parallel_s) ? format_number(r.data_parallel_s / r.joint_s, 3) + "x" : "-"),
         to_string(r.strategy)});
  }
  return {"All designs", "", t};
}

// Change of time when one share grows by a tenth at the cost of its class.
Figure sensitivity_table(const DesignResult& best) {
  const char* components[] = {"core", "L2", "L1", "registers", "DRAM", "network inside", "network outside"};
  const char* classes[] = {"area", "power", "perimeter"};
  TableFigure t{{"class", "component", "share", "time when 10 % larger"}, {}};
  const Shares shares = shares_of(best.config);
  const bool inside = shares[0].size() == kComponents;
  for (size_t c = 0; c < shares.size(); ++c) {
    for (size_t i = 0; i < shares[c].size(); ++i) {
      Shares tried = shares;
      tried[c][i] *= 1.1;
      double sum = 0;
      for (const double share : tried[c]) sum += share;
      for (double& share : tried[c]) share /= sum;
      const double change = iteration_time(with_shares(best.config, tried), false) / best.joint_s - 1;
      const char* edges[] = {"DRAM", inside ? "network inside" : "network outside", "network outside"};
      const std::string name = c == 2 ? edges[i] : components[!inside && i >= kIntra ? i + 1 : i];
      t.rows.push_back({classes[c], name, format_number(shares[c][i] * 100, 3) + " %",
                        std::isfinite(change) ? format_number(change * 100, 3) + " %" : "cannot work"});
    }
  }
  return {"Sensitivities of the best design",
          "Negative: giving this component more would help, so the search ended early.", t};
}

void add_machine_facts(const DesignResult& best, finding::Diagnosis& d) {
  const Machine m = generate(best.config, BelowMargin::FewerUnits);
  d.facts.emplace_back("compute", format_quantity(m.raw_flops, Dimension::Rate));
  d.facts.emplace_back("DRAM", format_quantity(m.memory[3].bytes, Dimension::Bytes) + ", " +
                                   format_quantity(m.memory[3].bytes_per_s, Dimension::BytesPerTime));
  d.facts.emplace_back("L2", format_quantity(m.memory[2].bytes, Dimension::Bytes) + ", " +
                                 format_quantity(m.memory[2].bytes_per_s, Dimension::BytesPerTime));
  d.facts.emplace_back("network", format_quantity(m.inter.bytes_per_s, Dimension::BytesPerTime));
}

}  // namespace

finding::Diagnosis conclude(const SearchSpace& space, const std::vector<DesignResult>& results) {
  finding::Diagnosis d;
  d.scale = "predict";
  d.title = "Search over " + std::to_string(results.size()) + " designs of " + std::to_string(space.nodes) +
            " nodes";
  const auto better = [&](const DesignResult& a, const DesignResult& b) {
    return value_of(space, a) < value_of(space, b);
  };
  const auto best = std::min_element(results.begin(), results.end(), better);
  if (best == results.end() || !std::isfinite(best->joint_s)) {
    d.verdict =
        "No design of this space can run the workload: its memory does not hold it, or a budget leaves a "
        "component without power.";
    if (!results.empty()) d.figures.push_back(results_table(results));
    return d;
  }
  d.verdict = "Best: " + point_name(best->point) + " with " + to_string(best->strategy) + ", " +
              seconds(best->joint_s) + " an iteration, " +
              format_number(best->data_parallel_s / best->joint_s, 3) +
              " times faster than data parallelism on the same technology.";
  uint64_t evaluations = 0;
  for (const DesignResult& r : results) evaluations += r.evaluations;
  d.facts = {{"iteration", seconds(best->joint_s)},
             {"energy of an iteration", format_quantity(energy_of(space, *best), Dimension::Energy)}};
  add_machine_facts(*best, d);
  const LanguageModelTime t =
      language_model_time(generate(best->config, BelowMargin::FewerUnits), best->config);
  d.facts.emplace_back("memory needed", format_quantity(t.memory_bytes, Dimension::Bytes));
  if (t.memory_bytes > t.memory_there)
    d.notes.push_back(
        "The best design's memory does not hold the job; 'memory_rule: must_fit' searches only those that "
        "do.");
  d.facts.emplace_back("designs evaluated", std::to_string(evaluations));
  d.expectations = {{"training iteration", "time", best->joint_s, "s", 0.16,
                     "CrossFlow's model of LSTM training; error on one V100 as published"}};
  d.figures = {technology_figure(results), front_figure(space, results, *best), results_table(results),
               sensitivity_table(*best)};
  return d;
}

}  // namespace lento::predict
