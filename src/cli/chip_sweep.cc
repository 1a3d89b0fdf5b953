// lento chip sweep: what each component of a chip would cost if it were slow.
#include <algorithm>
#include <map>

#include "base/file.h"
#include "base/stats.h"
#include "base/units.h"
#include "chip/map/map_file.h"
#include "chip/sim/sweep.h"
#include "cli/commands.h"

namespace lento::cli {
namespace {

using base::format_number;

struct Arguments {
  std::string chip;
  std::string mapping;
  double factor = 10;
  uint32_t inferences = 1;
};

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
    const chip::Position a =
        model.grid.position(row.fault.part == chip::Part::DramPort ? 0 : row.fault.index);
    if (row.fault.part == chip::Part::Core)
      mesh.cores.push_back({a.x, a.y, row.slowdown, row.fault.name});
    if (row.fault.part != chip::Part::Link)
      continue;
    const chip::Position b = model.grid.position(row.fault.other);
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
         format_number(row->slowdown, 5),
         std::to_string(row->cycles),
         std::to_string(row->events)});
  }
  return {"Every component", "Costliest first.", table};
}

void run(const Arguments& args, Context& context) {
  const std::string chip_text = base::read_file(args.chip);
  const std::string map_text = base::read_file(args.mapping);
  const spec::Chip chip = spec::parse_chip(chip_text, args.chip);
  const chip::Program program = chip::expand(chip::parse_map(map_text, args.mapping), chip, args.mapping);
  const chip::Model model(chip, program);
  chip::Options options;
  options.inferences = args.inferences;
  options.seed = context.seed;
  const chip::Sweep sweep = chip::sweep(model, args.factor, options, context.jobs, context.progress());
  if (sweep.rows.empty())
    return;
  const auto worst = std::ranges::max_element(sweep.rows, [](const auto& a, const auto& b) {
    return a.slowdown < b.slowdown;
  });
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = "One slow component at a time: " + program.name + " on " + chip.name;
  d.verdict = "Slow by " + format_number(args.factor) + ", " + worst->fault.name +
              " costs most: the run takes " + format_number(worst->slowdown) + " times as long.";
  d.facts = {{"healthy run", std::to_string(sweep.healthy_cycles) + " cycles"}};
  d.figures = {summary_table(sweep), mesh_figure(model, sweep), full_table(sweep)};
  if (!sweep.complete)
    d.notes.push_back("Stopped early, after " + std::to_string(sweep.rows.size()) + " components.");
  d.seed = context.seed;
  d.options = {{"factor", format_number(args.factor)}, {"inferences", std::to_string(args.inferences)}};
  d.inputs = {
      Context::input("chip", args.chip, chip_text),
      Context::input("mapping", args.mapping, map_text)};
  context.show(std::move(d));
}

}  // namespace

void add_chip_sweep(Command& chip, Context& context) {
  Command* command = chip.add_subcommand("sweep", "What each component would cost if it were slow");
  auto args = std::make_shared<Arguments>();
  command->add_option("--chip", args->chip, "Chip (YAML, or the released architecture JSON)")
      ->required()
      ->type_name("FILE");
  command->add_option("--mapping", args->mapping, "Mapping (compact map format)")
      ->required()
      ->type_name("FILE");
  command->add_option("--factor", args->factor, "Times slower")
      ->check(range(1.0, 1e6))
      ->capture_default_str();
  command->add_option("--inferences", args->inferences, "Inferences of each run")
      ->check(range(1, 10000))
      ->capture_default_str();
  context.add_seed(*command);
  context.add_jobs(*command);
  context.add_output_options(*command);
  example(
      *command,
      "lento chip sweep --chip examples/chip/4x4.yaml --mapping examples/chip/tiny.map.json --factor 10");
  command->callback([&context, args] {
    run(*args, context);
  });
}

}  // namespace lento::cli
