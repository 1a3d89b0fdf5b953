// lento chip map MODEL: maps a network onto a chip and writes the mapping in Gemini's compact format.
#include "base/file.h"
#include "chip/make_mapping.h"
#include "chip/map/file/map_file.h"
#include "cli/commands/commands.h"
#include "desk/transformer_shape.h"

namespace lento::cli {
namespace {

struct MapCommand {
  chip::ChipMappingOptions job;
  std::string output;
};

void run_map(const MapCommand& command, Context& context) {
  chip::ChipMappingOptions job = command.job;
  job.transformer.read_shape = desk::read_transformer_shape;
  const chip::ChipMapping made = chip::map_network(job, command.output, context.progress());
  if (made.guessed > 0)
    context.warn(
        std::to_string(made.guessed) +
        " operators without a rule are taken as element-wise: their cost is a guess");
  for (const auto& [reason, count] : made.report.reasons)
    context.warn(std::to_string(count) + " times: " + reason);
  base::write_file(command.output, chip::write_map(made.mapping));
  if (command.output == "-")
    return;
  const auto& layers = made.mapping.layers;
  context.streams.out << command.output << ": " << layers.size() << " layers in "
                      << (layers.empty() ? 0 : layers.back().segment) << " segments, batch "
                      << made.mapping.batch << ", on " << made.width << "x" << made.height << " cores\n";
}

// Declares the options of one inference of a transformer.
void add_run_options(Command& app, spec::TransformerRun& run) {
  app.add_option(
         "--tokens",
         run.tokens,
         "config.json: tokens of the prompt; 0 only decodes, or reads an image")
      ->check(range(int64_t{0}, spec::TransformerRun::kMostTokens))
      ->capture_default_str();
  app.add_option("--context", run.context, "config.json: tokens whose keys and values are cached before")
      ->check(range(int64_t{0}, spec::TransformerRun::kMostTokens))
      ->capture_default_str();
  app.add_option("--steps", run.steps, "config.json: tokens decoded, each over a cache one longer")
      ->check(range(int64_t{0}, spec::TransformerRun::kMostSteps))
      ->capture_default_str();
  app.add_option(
         "--expert-skew",
         run.expert_skew,
         "config.json: shares of tokens go as 1 / rank^SKEW; 0: balanced")
      ->check(range(0.0, spec::TransformerRun::kMostSkew))
      ->capture_default_str();
  app.add_option("--layers", run.layers, "config.json: only the first so many layers; 0: all")
      ->check(range(int64_t{0}, spec::TransformerRun::kMostLayers))
      ->capture_default_str();
}

}  // namespace

void add_chip_map(Command& chip, Context& context) {
  Command* app = chip.add_subcommand("map", "Map a network onto the cores of a chip");
  auto command = std::make_shared<MapCommand>();
  auto* model = app->add_option(
      "MODEL",
      command->job.model,
      "ONNX file, with or without weights, or a transformer's config.json");
  app->add_option("--chip", command->job.chip, "Chip description (YAML, or the released architecture JSON)")
      ->required();
  app->add_option("--batch", command->job.batch, "Samples of one inference")
      ->check(range(1, 65536))
      ->capture_default_str();
  app->add_option("--dim", command->job.dimensions, "Size of a symbolic dimension of the model: NAME=N");
  add_run_options(*app, command->job.transformer.run);
  app->add_option("-o,--output", command->output, "The mapping to write; - is standard output")->required();
  auto* tree = app->add_flag(
      "--binary-tree",
      command->job.binary_tree,
      "Map a binary tree of matrix products instead of a model");
  app->add_option("--depth", command->job.tree.depth, "Binary tree: levels, 1 to 12")
      ->check(range(1, 12))
      ->capture_default_str();
  app->add_option("--size", command->job.tree.size, "Binary tree: rows and columns of the matrices")
      ->check(range(1, 4096))
      ->capture_default_str();
  app->add_option("--passes", command->job.tree.passes, "Binary tree: products of one inference")
      ->check(range(1, 65536))
      ->capture_default_str();
  app->add_option("--placement", command->job.tree.placement, "Binary tree: rows, scatter or compact")
      ->check(one_of({"rows", "scatter", "compact"}))
      ->capture_default_str();
  model->excludes(tree);
  context.add_seed(*app);
  app->add_flag("--strict", context.strict, "Refuse operators without a shape rule");
  example(
      *app,
      "lento chip map resnet50.onnx --chip examples/chip/4x4.yaml --batch 64 -o resnet50.4x4.map.json\n"
      "  lento chip map examples/models/gpt2.json --chip examples/chip/8x8.yaml --batch 8 --tokens 512 -o "
      "gpt2.map.json");
  app->callback([command, model, &context] {
    if (!command->job.binary_tree && model->count() == 0)
      throw UsageError(std::string("MODEL or --binary-tree") + " is required");
    command->job.tree.seed = context.seed;
    command->job.strict = context.strict;
    run_map(*command, context);
  });
}

}  // namespace lento::cli
