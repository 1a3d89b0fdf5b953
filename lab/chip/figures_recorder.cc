// Figures about recorders: which settings are worth their memory.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/number.h"
#include "base/units.h"
#include "evidence/sample.h"
#include "lab/chip/figures.h"

namespace lento::chip {
namespace {

using base::format_number;

std::string bytes(double value) {
  return base::format_quantity(value, base::Dimension::Bytes);
}

struct Cost {
  // kept: share of the raw bytes
  double accuracy = 0;
  double memory = 0;
  double kept = 0;
  double runs = 0;
};
using Named = std::pair<std::string, Cost>;

// Returns mean accuracy and cost by workload and variant.
std::map<std::string, std::vector<Named>> costs_of(const Results& results, bool training) {
  std::map<std::pair<std::string, std::string>, Cost> sums;
  for (const RunResult& r : results) {
    if (r.recorder.empty() || r.number("recorder_bytes") == 0)
      continue;
    Cost& c = sums[{r.workload, r.variant()}];
    c.runs += 1;
    c.memory += r.number("recorder_bytes");
    c.kept += r.number("kept_bytes") / std::max(1.0, raw_bytes(r));
  }
  const Tallies tallies = tally(results, training);
  std::map<std::string, std::vector<Named>> out;
  for (const auto& [key, sum] : sums) {
    const auto t = tallies.find(key);
    const double accuracy = t == tallies.end() ? 0 : t->second.paper.accuracy();
    out[key.first].push_back({key.second, {accuracy, sum.memory / sum.runs, sum.kept / sum.runs, sum.runs}});
  }
  return out;
}

// Returns the Pareto front by rising memory: the recorders that are more accurate than all with as little
// memory.
std::vector<Named> front_of(std::vector<Named> all) {
  std::ranges::sort(all, [](const Named& a, const Named& b) {
    return std::pair(a.second.memory, -a.second.accuracy) < std::pair(b.second.memory, -b.second.accuracy);
  });
  std::vector<Named> front;
  for (const Named& one : all)
    if (front.empty() || one.second.accuracy > front.back().second.accuracy)
      front.push_back(one);
  return front;
}

finding::ScatterFigure::Group group_of(const std::string& name, const std::vector<Named>& list, bool joined) {
  finding::ScatterFigure::Group group{name, {}, joined};
  for (const auto& [label, c] : list)
    group.points.push_back({c.memory, 100 * c.accuracy, label});
  return group;
}

using Settings = std::map<std::string, double>;

// "sketch hashes=1,buckets=4" -> the two settings.
Settings settings_of(const std::string& label) {
  Settings out;
  size_t at = label.find(' ');
  while (at < label.size()) {
    const size_t end = std::min(label.find(',', at + 1), label.size());
    const std::string part = label.substr(at + 1, end - at - 1);
    const size_t equals = part.find('=');
    if (equals == std::string::npos)
      return {};
    out[part.substr(0, equals)] = base::parse_double(part.substr(equals + 1), {"recorder"});
    at = end;
  }
  return out;
}

finding::Figure heat_map(
    const std::vector<std::pair<Settings, double>>& points,
    const std::string& down,
    const std::string& across) {
  std::map<double, std::map<double, std::vector<double>>> cells;
  std::set<double> columns;
  for (const auto& [settings, value] : points) {
    cells[settings.at(down)][settings.at(across)].push_back(value);
    columns.insert(settings.at(across));
  }
  finding::HeatMapFigure map;
  map.columns.assign(columns.begin(), columns.end());
  map.x_name = across;
  map.value_name = "raw bytes over bytes kept";
  for (const auto& [row, by_column] : cells) {
    map.rows.push_back(down + " " + format_number(row));
    for (const double column : columns) {
      const auto at = by_column.find(column);
      map.values.push_back(at == by_column.end() ? std::nan("") : evidence::mean(at->second));
    }
  }
  return {"Compression by " + down + " and " + across, "Means over the other settings and all runs.", map};
}

}  // namespace

Figures recorder_figures(const Results& results, bool training) {
  const auto by_workload = costs_of(results, training);
  finding::TableFigure table;
  table.columns = {"workload", "method and recorder", "accuracy %", "recorder", "kept % of raw", "cost"};
  finding::ScatterFigure figure;
  figure.x_name = "memory of all recorders, bytes";
  figure.y_name = "accuracy, %";
  figure.log_x = true;
  for (const auto& [workload, list] : by_workload) {
    const std::vector<Named> front = front_of(list);
    figure.groups.push_back(group_of(workload, list, false));
    figure.groups.push_back(group_of(workload + ", Pareto front", front, true));
    for (const auto& [name, c] : front)
      table.rows.push_back(
          {workload,
           name,
           percent(c.accuracy),
           bytes(c.memory),
           percent(c.kept),
           format_number(c.memory * c.kept / std::max(0.01, c.accuracy), 4)});
  }
  if (table.rows.empty())
    return {};
  return {
      {"Pareto front of recorders",
       "Settings that no other beats with as little memory. Cost: memory times share kept over accuracy.",
       table},
      {"Recorders: accuracy against memory", "Every setting, and the front.", figure}};
}

Figures compression_figures(const Results& results) {
  std::vector<std::pair<Settings, double>> points;
  std::map<std::string, std::set<double>> values;
  for (const RunResult& r : results) {
    const Settings settings = settings_of(r.recorder);
    if (settings.empty() || r.number("kept_bytes") == 0)
      continue;
    points.emplace_back(settings, raw_bytes(r) / r.number("kept_bytes"));
    for (const auto& [name, value] : settings)
      values[name].insert(value);
  }
  for (const auto& [settings, value] : points)
    if (settings.size() != values.size())
      return {};  // recorders of several kinds
  Figures out;
  for (auto a = values.begin(); a != values.end(); ++a)
    for (auto b = std::next(a); b != values.end(); ++b)
      out.push_back(heat_map(points, a->first, b->first));
  return out;
}

}  // namespace lento::chip
