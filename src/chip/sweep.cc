// Simulates each component slowed by the same factor, and ranks the components by the loss of time.
#include "chip/sweep.h"

#include <algorithm>
#include <map>

#include "base/units.h"
#include "chip/chip_file.h"
#include "chip/map/file/map_file.h"
#include "chip/sim/sweep.h"
#include "evidence/sample.h"
#include "finding/inputs.h"

namespace lento::chip {
namespace {

using base::format_number;

std::string part_name(Part part) {
  switch (part) {
    case Part::Core:
      return "core";
    case Part::Link:
      return "link";
    case Part::Router:
      return "router";
    case Part::MemoryUnit:
      return "memory unit";
    case Part::DramPort:
      return "DRAM port";
  }
  return "";
}

// Returns how much slow components of each kind slow the run.
finding::Figure summary_table(const Sweep& sweep) {
  std::map<Part, std::vector<double>> by_part;
  for (const SweepRow& row : sweep.rows)
    by_part[row.fault.part].push_back(row.slowdown);
  finding::TableFigure table;
  table.columns = {"component", "count", "min", "median", "max"};
  for (const auto& [part, values] : by_part) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    table.rows.push_back(
        {part_name(part),
         std::to_string(values.size()),
         format_number(*low),
         format_number(evidence::median(values)),
         format_number(*high)});
  }
  return {
      "Run time with one slow component, healthy = 1",
      "Over all components of a kind, one at a time.",
      table};
}

// Returns the slowdown of the run by position of the slow component.
finding::Figure mesh_figure(const Model& model, const Sweep& sweep) {
  finding::MeshFigure mesh;
  mesh.width = model.grid.width();
  mesh.height = model.grid.height();
  mesh.value_name = "run time when slow, healthy = 1";
  for (const SweepRow& row : sweep.rows) {
    if (!row.fault.exists())
      continue;
    if (row.fault.part == Part::Core) {
      const Position at = model.grid.position(row.fault.index);
      mesh.cores.push_back({at.x, at.y, row.slowdown, row.fault.name});
    }
    if (row.fault.part != Part::Link)
      continue;
    const Position a = model.grid.router_position(row.fault.index);
    const Position b = model.grid.router_position(row.fault.other);
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

// Returns all slow components, the worst first.
finding::Figure full_table(const Sweep& sweep) {
  finding::TableFigure table;
  table.columns = {"component", "slowdown", "cycles", "events inside"};
  std::vector<const SweepRow*> rows;
  for (const SweepRow& row : sweep.rows)
    rows.push_back(&row);
  std::ranges::stable_sort(rows, [](const auto* a, const auto* b) {
    return a->slowdown > b->slowdown;
  });
  for (const SweepRow* row : rows) {
    table.rows.push_back(
        {row->fault.name,
         format_number(row->slowdown),
         std::to_string(row->cycles),
         std::to_string(row->events)});
  }
  return {"Every component", "Costliest first.", table};
}

// Returns the result of the sweep.
finding::Diagnosis conclude(const Sweep& sweep, const Model& model, const ChipSweepOptions& options) {
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
  d.inputs = {finding::input_of("chip", options.chip), finding::input_of("mapping", options.mapping)};
  return d;
}

}  // namespace

std::optional<finding::Diagnosis> chip_sweep(
    const ChipSweepOptions& options,
    const base::Progress& progress) {
  const ChipFile file = read_chip_file(options.chip);
  const spec::Chip& chip = file.twin.chip;
  const Program program = expand(read_map(options.mapping), chip, options.mapping);
  const Model model(chip, program, file.twin.own);
  const Options run{.inferences = options.inferences, .seed = options.seed};
  const Sweep swept = sweep(model, options.factor, run, options.threads, progress);
  if (swept.rows.empty())
    return std::nullopt;
  return conclude(swept, model, options);
}

}  // namespace lento::chip
