// lento chip diagnose: a sketch, or records run through one, to the verdict.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/units.h"
#include "chip/detect/method.h"
#include "chip/map/map_file.h"
#include "chip/sim/simulate.h"
#include "chip/sketch/sketch.h"
#include "cli/context.h"
#include "cli/tile_recorder.h"
#include "trace/probe_file.h"

namespace lento::cli {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

struct Arguments {
  std::string records, chip, mapping, healthy, sketch_out, eviction = "earliest", method = "lento";
  std::string recorder = "sketch";
  chip::SketchOptions sketch;
  TileRecorderOptions tile;
  bool exact = false, no_replay = false;
};

chip::Eviction eviction_of(const std::string& name) {
  if (name == "healthiest") return chip::Eviction::Healthiest;
  if (name == "least-frequent") return chip::Eviction::LeastFrequent;
  return name == "random" ? chip::Eviction::Random : chip::Eviction::Earliest;
}

bool is_sketch(const std::string& path) {
  std::string head(32, '\0');
  base::InputStream in(path);
  head.resize(in.read(head));
  return chip::looks_like_sketch(head);
}

chip::Sketch sketch_on_tiles(const std::string& path, const Arguments& args,
                             std::span<const chip::SketchShape> shapes, base::ReadReport& report,
                             Facts& facts) {
  TileRecorder recorder(shapes, args.sketch, args.tile);
  trace::ProbeReader reader(path, report);
  trace::ProbeRecord record;
  while (reader.next(record)) {
    if (record.core < shapes.size())
      recorder.record(record);
    else
      report.skip({path}, "record of a core that the chip does not have");
  }
  chip::Sketch sketch = recorder.finish();
  facts = recorder_facts(recorder.counts());
  return sketch;
}

// A sketch file as it is; probe records through a recorder sized for the mapping. `facts`: what the recorder
// says of its own work.
chip::Sketch sketch_of(const std::string& path, const Arguments& args, const chip::Program& program,
                       const spec::Chip& chip, base::ReadReport& report, Facts& facts) {
  if (path != "-" && is_sketch(path)) {
    chip::Sketch sketch = chip::read_sketch(path);
    if (sketch.cores().size() != static_cast<size_t>(chip.core_count()))
      throw base::Error({path},
                        "the sketch is of " + std::to_string(sketch.cores().size()) +
                            " cores, the chip has " + std::to_string(chip.core_count()),
                        "give the chip file that the records were made with");
    report.taken = sketch.records();
    return sketch;
  }
  const auto counts = chip::count_patterns(program, chip);
  const std::vector<chip::SketchShape> shapes =
      args.exact ? chip::plan_exact_tables(counts, args.sketch) : chip::plan_shapes(counts, args.sketch);
  if (args.recorder == "tile") return sketch_on_tiles(path, args, shapes, report, facts);
  chip::Sketch sketch(shapes, args.sketch);
  trace::ProbeReader reader(path, report);
  trace::ProbeRecord record;
  while (reader.next(record))
    if (sketch.record(record).dropped) report.skip({path}, "record of a core that the chip does not have");
  return sketch;
}

chip::Replay replay_of(const chip::Model& model, const chip::Sketch& like, const Context& context) {
  return [&model, &like, seed = context.seed](const std::vector<chip::Fault>& guess, uint32_t draw) {
    std::vector<chip::SketchShape> shapes;
    for (const chip::CoreSketch& core : like.cores()) shapes.push_back(core.shape());
    chip::Sketch sketch(shapes, like.options());
    chip::Options run;
    run.inferences = std::max(1u, like.inferences());
    run.seed = seed + 0x5eed0000u + draw;
    run.max_cycles = like.comparable_cycles();
    simulate(model, guess, run, &sketch);
    return sketch;
  };
}

void run_diagnose(Arguments& args, Context& context) {
  args.sketch.eviction = eviction_of(args.eviction);
  const chip::MethodChoice method = chip::parse_method(args.method, {"--method"});
  const spec::Chip chip = spec::read_chip(args.chip);
  const chip::Program program = expand(chip::read_map(args.mapping), chip, args.mapping);
  args.sketch.ops_per_cycle = chip.core.ops_per_cycle;
  base::ReadReport report;
  report.strict = context.strict;
  Facts recorder;
  const chip::Sketch sketch = sketch_of(args.records, args, program, chip, report, recorder);
  if (!args.sketch_out.empty()) chip::write_sketch(args.sketch_out, sketch);
  const chip::Model model(chip, program);
  chip::DetectOptions options;
  std::optional<chip::Sketch> healthy;
  if (!args.healthy.empty()) {
    base::ReadReport healthy_report;
    healthy_report.strict = context.strict;
    Facts unused;
    healthy = sketch_of(args.healthy, args, program, chip, healthy_report, unused);
    options.healthy = &*healthy;
  }
  if (!args.no_replay) options.replay = replay_of(model, sketch, context);
  chip::MethodResult judged = judge(method, sketch, chip, program, options);
  finding::Diagnosis d = diagnose(judged.detection, sketch, chip, program);
  std::move(judged.figures.begin(), judged.figures.end(), std::back_inserter(d.figures));
  finding::add_read_report(d, report);
  d.facts.insert(d.facts.end(), recorder.begin(), recorder.end());
  d.seed = context.seed;
  d.options.emplace_back("recorder budget, bytes a core", std::to_string(args.sketch.budget_bytes));
  d.options.emplace_back("method", args.method);
  d.options.emplace_back("recorder", args.recorder == "tile" ? "tile"
                                     : args.exact            ? "exact table"
                                                             : "sketch");
  d.options.emplace_back("replay", args.no_replay ? "off" : "on");
  for (const auto& [role, path] : {std::pair("records", &args.records), std::pair("chip", &args.chip),
                                   std::pair("mapping", &args.mapping)})
    if (*path != "-") d.inputs.push_back(Context::input(role, *path, base::read_file(*path)));
  context.show(std::move(d));
}

}  // namespace

void add_chip_diagnose(CLI::App& chip, Context& context) {
  CLI::App* app =
      chip.add_subcommand("diagnose", "Names the slow core, link, router, memory unit or DRAM port");
  auto args = std::make_shared<Arguments>();
  app->add_option("records", args->records, "Probe records, or a sketch of them; - is standard input")
      ->required();
  app->add_option("--chip", args->chip, "The chip the records are from")->required();
  app->add_option("--mapping", args->mapping, "The mapping that ran")->required();
  app->add_option(
         "--method", args->method,
         "lento, paper, threshold, microscope, iaso, perseus or adr; paper:restart=1,direction=1 sets "
         "parameters")
      ->capture_default_str();
  app->add_option("--healthy", args->healthy, "Records or sketch of a run known to be healthy");
  app->add_option("--sketch", args->sketch_out, "Also writes the sketch here: all that the verdict rests on");
  app->add_option("--recorder", args->recorder,
                  "The sketch in C++, or as a program of a tile beside each core")
      ->capture_default_str()
      ->check(CLI::IsMember({"sketch", "tile"}));
  app->add_option("--tile-queue", args->tile.queue, "Records that may wait in front of a tile")
      ->capture_default_str()
      ->check(CLI::Range(0, 64));
  app->add_flag("--tile-wait", args->tile.wait, "A core waits for its tile instead of losing a record");
  app->add_option("--budget", args->sketch.budget_bytes, "Recorder memory, bytes a core")
      ->capture_default_str();
  app->add_option("--threshold", args->sketch.threshold, "Occurrences before a pattern is kept (H)")
      ->capture_default_str()
      ->check(CLI::Range(1, 65535));
  app->add_option("--evict", args->eviction, "What leaves a full sketch")
      ->capture_default_str()
      ->check(CLI::IsMember({"earliest", "healthiest", "least-frequent", "random"}));
  app->add_flag("--exact", args->exact,
                "Keep an exact table instead of a sketch; an error when it does not fit");
  app->add_flag("--no-replay", args->no_replay,
                "Judge from the records alone, without simulating hypotheses");
  context.add_output_options(*app);
  context.add_seed(*app);
  example(
      *app,
      "lento chip diagnose run.probe --chip examples/chip/4x4.yaml --mapping examples/chip/tiny.map.json");
  app->callback([args, &context] { run_diagnose(*args, context); });
}

}  // namespace lento::cli
