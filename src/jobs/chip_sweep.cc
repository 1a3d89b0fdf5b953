#include "jobs/chip_sweep.h"

#include <algorithm>
#include <map>

#include "base/stats.h"
#include "base/units.h"
#include "chip/map/map_file.h"
#include "chip/sim/sweep.h"
#include "jobs/chip_file.h"
#include "jobs/inputs.h"

namespace lento::jobs {
namespace {

using base::format_number;

std::string part_name(chip::Part part) {
  switch (part) {
    case chip::Part::Core:
      return "core";
    case chip::Part::Link:
      return "link";
    case chip::Part::Router:
      return "router";
    case chip::Part::MemoryUnit:
      return "memory unit";
    case chip::Part::DramPort:
      return "DRAM port";
  }
  return "";
}

finding::Figure summary_table(const chip::Sweep& sweep) {
  std::map<chip::Part, std::vector<double>> by_part;
  for (const chip::SweepRow& row : sweep.rows)
    by_part[row.fault.part].push_back(row.slowdown);
  finding::TableFigure table;
  table.columns = {"component", "count", "min", "median", "max"};
  for (const auto& [part, values] : by_part) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    table.rows.push_back(
        {part_name(part),
         std::to_string(values.size()),
         format_number(*low),
         format_number(base::median(values)),
         format_number(*high)});
  }
  return {
      "Run time with one slow component, healthy = 1",
      "Over all components of a kind, one at a time.",
      table};
}

finding::Figure mesh_figure(const chip::Model& model, const chip::Sweep& sweep) {
  finding::MeshFigure mesh;
  mesh.width = model.grid.width();
  mesh.height = model.grid.height();
  mesh.value_name = "run time when slow, healthy = 1";
  for (const chip::SweepRow& row : sweep.rows) {
    if (!row.fault.exists())
      continue;
    if (row.fault.part == chip::Part::Core) {
      const chip::Position at = model.grid.position(row.fault.index);
      mesh.cores.push_back({at.x, at.y, row.slowdown, row.fault.name});
    }
    if (row.fault.part != chip::Part::Link)
      continue;
    const chip::Position a = model.grid.router_position(row.fault.index);
    const chip::Position b = model.grid.router_position(row.fault.other);
    if (std::abs(a.x - b.x) + std::abs(a.y - b.y) != 1)
      continue;  // closes a ring
    mesh.links.push_back({a.x, a.y, b.x, b.y, row.slowdown});
    mesh.links.push_back({b.x, b.y, a.x, a.y, row.slowdown});
  }
  return {
      "Cost of a slow core or link",
      "Each value is one run in which only that component was slow.",
      mesh};
}

finding::Figure full_table(const chip::Sweep& sweep) {
  finding::TableFigure table;
  table.columns = {"component", "slowdown", "cycles", "events inside"};
  std::vector<const chip::SweepRow*> rows;
  for (const chip::SweepRow& row : sweep.rows)
    rows.push_back(&row);
  std::ranges::stable_sort(rows, [](const auto* a, const auto* b) {
    return a->slowdown > b->slowdown;
  });
  for (const chip::SweepRow* row : rows) {
    table.rows.push_back(
        {row->fault.name,
         format_number(row->slowdown),
         std::to_string(row->cycles),
         std::to_string(row->events)});
  }
  return {"Every component", "Costliest first.", table};
}

finding::Diagnosis
conclude(const chip::Sweep& sweep, const chip::Model& model, const ChipSweepOptions& options) {
  const auto worst = std::ranges::max_element(sweep.rows, [](const auto& a, const auto& b) {
    return a.slowdown < b.slowdown;
  });
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = "One slow component at a time: " + model.program.name + " on " + model.chip.name;
  d.verdict = "Slow by " + format_number(options.factor) + ", " + worst->fault.name +
              " costs most: the run takes " + format_number(worst->slowdown) + " times as long.";
  d.facts = {{"healthy run", std::to_string(sweep.healthy_cycles) + " cycles"}};
  d.figures = {summary_table(sweep), mesh_figure(model, sweep), full_table(sweep)};
  if (!sweep.complete)
    d.notes.push_back("Stopped early, after " + std::to_string(sweep.rows.size()) + " components.");
  d.seed = options.seed;
  d.options = {{"factor", format_number(options.factor)}, {"inferences", std::to_string(options.inferences)}};
  d.inputs = {input_of("chip", options.chip), input_of("mapping", options.mapping)};
  return d;
}

}  // namespace

std::optional<finding::Diagnosis> chip_sweep(
    const ChipSweepOptions& options,
    const base::Progress& progress) {
  const ChipFile file = read_chip_file(options.chip);
  const spec::Chip& chip = file.twin.chip;
  const chip::Program program = chip::expand(chip::read_map(options.mapping), chip, options.mapping);
  const chip::Model model(chip, program, file.twin.own);
  const chip::Options run{.inferences = options.inferences, .seed = options.seed};
  const chip::Sweep sweep = chip::sweep(model, options.factor, run, options.threads, progress);
  if (sweep.rows.empty())
    return std::nullopt;
  return conclude(sweep, model, options);
}

}  // namespace lento::jobs
