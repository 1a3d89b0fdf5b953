// Reads a network, maps it to the cores of a chip, and simulates candidate mappings when the chip allows it.
#include "chip/make_mapping.h"

#include <filesystem>
#include <limits>

#include "base/error.h"
#include "base/number.h"
#include "chip/map/file/map_file.h"
#include "chip/map/plan/mapper.h"
#include "chip/map/program.h"
#include "chip/read_network.h"
#include "chip/sim/simulate.h"
#include "spec/chip.h"

namespace lento::chip {
namespace {

// Reads sizes of free dimensions from arguments such as N=8.
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

// Returns the cycles of one inference without probes. Infinite when the simulation deadlocks, which routes
// from a table allow.
double simulated_cycles(const Mapping& mapping, const spec::Chip& machine, const std::string& file) {
  const Program program = expand(mapping, machine, file);
  Options options;
  options.probes = named_plan("none");
  try {
    return double(simulate(Model(machine, program), {}, options, nullptr).cycles);
  } catch (const base::Error&) {
    return std::numeric_limits<double>::infinity();
  }
}

// Maps a network file to the chip.
Mapping map_model(
    const ChipMappingOptions& o,
    const spec::Chip& machine,
    const base::Progress& progress,
    ChipMapping& out) {
  const spec::Network network = read_chip_network(o.model, onnx_options(o), o.transformer, out.report);
  const LayerGraph graph = lower(network, o.model);
  out.guessed = int(graph.generic);
  MapOptions options;
  options.batch = o.batch;
  options.judge = [&](const Mapping& mapping) {
    return simulated_cycles(mapping, machine, o.model);
  };
  Mapping mapping = map_network(graph, machine, options, o.model, progress);
  // The name in an ONNX file is usually meaningless, so the file's name is used. A configuration names its
  // architecture.
  if (!is_model_config(o.model))
    mapping.name = std::filesystem::path(o.model).stem().string();
  return mapping;
}

}  // namespace

// Maps a network file, or SLOTH's synthetic workload (a binary tree of matrix products, binary_tree.h).
// Throws base::Error when the mapping does not fit the chip.
ChipMapping
map_network(const ChipMappingOptions& o, const std::string& output, const base::Progress& progress) {
  const spec::Chip machine = spec::read_chip(o.chip);
  ChipMapping out;
  out.width = machine.width;
  out.height = machine.height;
  out.report.strict = o.strict;
  out.mapping = o.binary_tree ? map_binary_tree(o.tree, machine) : map_model(o, machine, progress, out);
  check_fits(out.mapping, Grid(machine), output);
  return out;
}

}  // namespace lento::chip
