// lento chip map MODEL: a mapping of our own, in Gemini's compact format.
#include <filesystem>

#include "base/file.h"
#include "base/number.h"
#include "base/units.h"
#include "chip/map/binary_tree.h"
#include "chip/map/map_file.h"
#include "chip/map/mapper.h"
#include "cli/commands.h"
#include "jobs/chip_network.h"
#include "spec/chip.h"

namespace lento::cli {
namespace {

struct MapCommand {
  std::string model;
  std::string chip;
  std::string output;
  int64_t batch = 64;
  std::vector<std::string> dimensions;
  spec::TransformerRun run;
  chip::BinaryTree tree;
  bool synthetic = false;
};

spec::OnnxOptions onnx_options(const MapCommand& command) {
  spec::OnnxOptions options;
  for (const std::string& text : command.dimensions) {
    const size_t equals = text.find('=');
    const base::Location where{"--dim " + text};
    if (equals == std::string::npos)
      throw base::Error(where, "found '" + text + "', needed NAME=N");
    options.dimensions[text.substr(0, equals)] = base::parse_int(text.substr(equals + 1), where, 1, 1 << 24);
  }
  return options;
}

chip::Mapping make_mapping(
    const MapCommand& command,
    Context& context,
    const spec::Chip& machine,
    base::ReadReport& report) {
  if (command.synthetic)
    return chip::map_binary_tree(command.tree, machine);
  const spec::Network network =
      jobs::read_chip_network(command.model, onnx_options(command), command.run, report);
  const chip::LayerGraph graph = chip::lower(network, command.model);
  if (graph.generic > 0) {
    context.warn(
        std::to_string(graph.generic) +
        " operators without a rule are taken as element-wise: their cost is a guess");
  }
  chip::MapOptions options;
  options.batch = command.batch;
  chip::Mapping mapping = chip::map_network(graph, machine, options, command.model, context.progress());
  // Exporters name their graphs poorly; a configuration names its architecture.
  if (!jobs::is_model_config(command.model))
    mapping.name = std::filesystem::path(command.model).stem().string();
  return mapping;
}

void run_map(const MapCommand& command, Context& context) {
  const spec::Chip machine = spec::read_chip(command.chip);
  base::ReadReport report;
  report.strict = context.strict;
  const chip::Mapping mapping = make_mapping(command, context, machine, report);
  chip::check_fits(mapping, machine, command.output);
  for (const auto& [reason, count] : report.reasons)
    context.warn(std::to_string(count) + " times: " + reason);
  base::write_file(command.output, chip::write_map(mapping));
  if (command.output == "-")
    return;
  const int segments = mapping.layers.empty() ? 0 : mapping.layers.back().segment;
  context.streams.out << command.output << ": " << mapping.layers.size() << " layers in " << segments
                      << " segments, batch " << mapping.batch << ", on " << machine.width << "x"
                      << machine.height << " cores\n";
}

// What one inference of a config.json does.
void add_run_options(Command& app, spec::TransformerRun& run) {
  app.add_option(
         "--tokens",
         run.tokens,
         "config.json: tokens of the prompt; 0 only decodes, or reads an image")
      ->check(range(0, 1 << 20))
      ->capture_default_str();
  app.add_option("--context", run.context, "config.json: tokens whose keys and values are cached before")
      ->check(range(0, 1 << 20))
      ->capture_default_str();
  app.add_option("--steps", run.steps, "config.json: tokens decoded, each over a cache one longer")
      ->check(range(0, 1024))
      ->capture_default_str();
  app.add_option(
         "--expert-skew",
         run.expert_skew,
         "config.json: shares of tokens go as 1 / rank^SKEW; 0: balanced")
      ->check(range(0.0, 10.0))
      ->capture_default_str();
  app.add_option("--layers", run.layers, "config.json: only the first so many layers; 0: all")
      ->check(range(0, 10000))
      ->capture_default_str();
}

}  // namespace

void add_chip_map(Command& chip, Context& context) {
  Command* app = chip.add_subcommand("map", "Map a network onto the cores of a chip");
  auto command = std::make_shared<MapCommand>();
  auto* model = app->add_option(
      "MODEL",
      command->model,
      "ONNX file, with or without weights, or a transformer's config.json");
  app->add_option("--chip", command->chip, "Chip description (YAML, or the released architecture JSON)")
      ->required();
  app->add_option("--batch", command->batch, "Samples of one inference")
      ->check(range(1, 65536))
      ->capture_default_str();
  app->add_option("--dim", command->dimensions, "Size of a symbolic dimension of the model: NAME=N");
  add_run_options(*app, command->run);
  app->add_option("-o,--output", command->output, "The mapping to write; - is standard output")->required();
  auto* tree = app->add_flag(
      "--binary-tree",
      command->synthetic,
      "Map a binary tree of matrix products instead of a model");
  app->add_option("--depth", command->tree.depth, "Binary tree: levels, 1 to 12")
      ->check(range(1, 12))
      ->capture_default_str();
  app->add_option("--size", command->tree.size, "Binary tree: rows and columns of the matrices")
      ->check(range(1, 4096))
      ->capture_default_str();
  app->add_option("--passes", command->tree.passes, "Binary tree: products of one inference")
      ->check(range(1, 65536))
      ->capture_default_str();
  app->add_option("--placement", command->tree.placement, "Binary tree: rows, scatter or compact")
      ->check(one_of({"rows", "scatter", "compact"}))
      ->capture_default_str();
  model->excludes(tree);
  context.add_seed(*app);
  app->add_flag("--strict", context.strict, "Refuse operators without a shape rule");
  example(
      *app,
      "lento chip map resnet50.onnx --chip examples/chip/4x4.yaml --batch 64 -o resnet50.4x4.map.json");
  app->callback([command, model, &context] {
    if (!command->synthetic && model->count() == 0)
      throw UsageError(std::string("MODEL or --binary-tree") + " is required");
    command->tree.seed = context.seed;
    run_map(*command, context);
  });
}

}  // namespace lento::cli
