#include "jobs/chip_mapping.h"

#include <filesystem>
#include <limits>

#include "base/error.h"
#include "base/number.h"
#include "chip/map/map_file.h"
#include "chip/map/mapper.h"
#include "chip/map/program.h"
#include "chip/sim/simulate.h"
#include "jobs/chip_network.h"
#include "spec/chip.h"

namespace lento::jobs {
namespace {

spec::OnnxOptions onnx_options(const ChipMappingOptions& o) {
  spec::OnnxOptions options;
  for (const std::string& text : o.dimensions) {
    const size_t equals = text.find('=');
    const base::Location where{"--dim " + text};
    if (equals == std::string::npos)
      throw base::Error(where, "found '" + text + "', needed NAME=N");
    options.dimensions[text.substr(0, equals)] = base::parse_int(text.substr(equals + 1), where, 1, 1 << 24);
  }
  return options;
}

// Cycles of one inference without probes; infinite where it cannot end, as routes by tables allow.
double simulated_cycles(const chip::Mapping& mapping, const spec::Chip& machine, const std::string& file) {
  const chip::Program program = chip::expand(mapping, machine, file);
  chip::Options options;
  options.probes = chip::named_plan("none");
  try {
    return double(chip::simulate(chip::Model(machine, program), {}, options, nullptr).cycles);
  } catch (const base::Error&) {
    return std::numeric_limits<double>::infinity();
  }
}

chip::Mapping map_model(
    const ChipMappingOptions& o,
    const spec::Chip& machine,
    const base::Progress& progress,
    ChipMapping& out) {
  const spec::Network network = read_chip_network(o.model, onnx_options(o), o.run, out.report);
  const chip::LayerGraph graph = chip::lower(network, o.model);
  out.guessed = int(graph.generic);
  chip::MapOptions options;
  options.batch = o.batch;
  options.judge = [&](const chip::Mapping& mapping) {
    return simulated_cycles(mapping, machine, o.model);
  };
  chip::Mapping mapping = chip::map_network(graph, machine, options, o.model, progress);
  // Exporters name their graphs poorly; a configuration names its architecture.
  if (!is_model_config(o.model))
    mapping.name = std::filesystem::path(o.model).stem().string();
  return mapping;
}

}  // namespace

ChipMapping
map_network(const ChipMappingOptions& o, const std::string& output, const base::Progress& progress) {
  const spec::Chip machine = spec::read_chip(o.chip);
  ChipMapping out;
  out.width = machine.width;
  out.height = machine.height;
  out.report.strict = o.strict;
  out.mapping = o.binary_tree ? chip::map_binary_tree(o.tree, machine) : map_model(o, machine, progress, out);
  chip::check_fits(out.mapping, chip::Grid(machine), output);
  return out;
}

}  // namespace lento::jobs
