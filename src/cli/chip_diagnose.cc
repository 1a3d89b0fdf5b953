// lento chip diagnose: a sketch, or records run through one, to the verdict.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/units.h"
#include "chip/detect/method.h"
#include "chip/map/map_file.h"
#include "chip/sim/rehearsal.h"
#include "chip/sketch/sketch.h"
#include "cli/commands.h"
#include "jobs/tile_recorder.h"
#include "trace/probe_file.h"

namespace lento::cli {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

struct Arguments {
  std::string records, chip, mapping, healthy, sketch_out, eviction = "earliest", method = "lento";
  std::string recorder = "sketch";
  chip::SketchOptions sketch;
  jobs::TileRecorderOptions tile;
  bool exact = false, no_replay = false;
  std::string given;  // an option of the recorder that stands on the command line
};

// What a file holds, and how it came to be read.
struct Recording {
  chip::Sketch sketch;
  base::ReadReport report;
  finding::Input input;
  std::string recorder;            // what kept it
  Facts facts;                     // what the recorder says of its own work
  std::vector<std::string> notes;  // what about it does not fit the chip and mapping
};

chip::Eviction eviction_of(const std::string& name) {
  if (name == "healthiest") return chip::Eviction::Healthiest;
  if (name == "least-frequent") return chip::Eviction::LeastFrequent;
  return name == "random" ? chip::Eviction::Random : chip::Eviction::Earliest;
}

chip::Sketch sketch_on_tiles(trace::ProbeReader& reader, const Arguments& args,
                             std::span<const chip::SketchShape> shapes, Facts& facts) {
  jobs::TileRecorder recorder(shapes, args.sketch, args.tile);
  trace::ProbeRecord record;
  while (reader.next(record)) recorder.record(record);
  chip::Sketch sketch = recorder.finish();
  facts = jobs::recorder_facts(recorder.counts());
  return sketch;
}

chip::Sketch sketched(trace::ProbeReader& reader, const Arguments& args, const chip::Program& program,
                      const spec::Chip& chip, Facts& facts) {
  const auto counts = chip::count_patterns(program, chip);
  const std::vector<chip::SketchShape> shapes =
      args.exact ? chip::plan_exact_tables(counts, args.sketch) : chip::plan_shapes(counts, args.sketch);
  if (args.recorder == "tile") return sketch_on_tiles(reader, args, shapes, facts);
  chip::Sketch sketch(shapes, args.sketch);
  trace::ProbeRecord record;
  while (reader.next(record)) sketch.record(record);
  return sketch;
}

void require_cores(const std::string& path, const std::string& what, size_t cores, const spec::Chip& chip) {
  if (cores == static_cast<size_t>(chip.core_count())) return;
  throw base::Error(
      {path},
      what + " of " + std::to_string(cores) + " cores, the chip has " + std::to_string(chip.core_count()),
      "give the chip file that the records were made with");
}

std::vector<std::string> differences(const trace::ProbeHeader& head, const spec::Chip& chip,
                                     const chip::Program& program) {
  std::vector<std::string> out;
  const auto compare = [&](const std::string& what, const std::string& recorded, const std::string& given) {
    if (!recorded.empty() && recorded != given)
      out.push_back("the records are of the " + what + " '" + recorded + "', the file given is of '" + given +
                    "'");
  };
  compare("chip", head.chip, chip.name);
  compare("mapping", head.mapping, program.name);
  if (head.clock_hz > 0 && head.clock_hz != chip.clock_hz)
    out.push_back("the records were made at " +
                  base::format_quantity(head.clock_hz, base::Dimension::Frequency) + ", the chip file says " +
                  base::format_quantity(chip.clock_hz, base::Dimension::Frequency));
  return out;
}

void take_sketch(base::InputStream& in, const spec::Chip& chip, Recording& out) {
  out.sketch = chip::read_sketch(in);
  require_cores(in.path(), "the sketch is", out.sketch.cores().size(), chip);
  out.report.taken = out.sketch.records();
  out.recorder = "sketch file";
  if (out.sketch.options().ops_per_cycle != chip.core.ops_per_cycle)
    out.notes.push_back("the sketch was made for " + base::format_number(out.sketch.options().ops_per_cycle) +
                        " operations a cycle, the chip file says " +
                        base::format_number(chip.core.ops_per_cycle));
}

// A sketch file as it is; probe records through a recorder sized for the mapping.
Recording recording_of(const std::string& role, const std::string& path, const Arguments& args,
                       const chip::Program& program, const spec::Chip& chip, bool strict) {
  Recording out;
  out.report.strict = strict;
  base::Digest digest;
  base::InputStream in(path);
  in.count_into(digest);
  if (chip::looks_like_sketch(in.peek(32))) {
    if (!args.given.empty() && role == "records")
      throw base::Error({path}, args.given + " is about recording, and this is a sketch already",
                        "leave the option out, or give the records");
    take_sketch(in, chip, out);
  } else {
    trace::ProbeReader reader(std::move(in), out.report);
    require_cores(path, "the records are", reader.header().cores, chip);
    out.notes = differences(reader.header(), chip, program);
    out.sketch = sketched(reader, args, program, chip, out.facts);
    out.recorder = args.recorder == "tile" ? "tile" : args.exact ? "exact table" : "sketch";
  }
  out.input = {role, path, digest.text()};
  return out;
}

// The healthy chip in the draws asked for, recorded as `like` was, and what it would have recorded with
// faults.
chip::Replay replay_of(const chip::Model& model, const chip::Sketch& like, Context& context) {
  std::vector<chip::SketchShape> shapes;
  for (const chip::CoreSketch& core : like.cores()) shapes.push_back(core.shape());
  chip::Options run;
  run.inferences = std::max(1u, like.inferences());
  run.max_cycles = like.comparable_cycles();
  const base::Progress progress = context.progress();
  run.stop = progress.stop;
  const auto draws = std::make_shared<std::map<uint32_t, chip::Rehearsal<chip::Sketch>>>();
  const chip::Sketch fresh(shapes, like.options());
  return [=, &model, seed = context.seed](const std::vector<chip::Fault>& guess, uint32_t draw) mutable {
    run.seed = seed + 0x5eed0000u + draw;
    const auto& rehearsal =
        draws->try_emplace(draw, model, run, fresh, chip::affordable_moments(fresh.bytes())).first->second;
    chip::Sketch sketch = guess.empty() ? rehearsal.healthy() : rehearsal.run(guess, run.max_cycles);
    progress.throw_if_stopped();
    return sketch;
  };
}

void add_recording(finding::Diagnosis& d, const Recording& recording) {
  finding::add_read_report(d, recording.report);
  d.facts.insert(d.facts.end(), recording.facts.begin(), recording.facts.end());
  d.notes.insert(d.notes.end(), recording.notes.begin(), recording.notes.end());
  d.inputs.push_back(recording.input);
}

void run_diagnose(Arguments& args, Context& context) {
  args.sketch.eviction = eviction_of(args.eviction);
  const chip::MethodChoice method = chip::parse_method(args.method, {"--method"});
  const spec::Chip chip = spec::read_chip(args.chip);
  const chip::Program program = expand(chip::read_map(args.mapping), chip, args.mapping);
  args.sketch.ops_per_cycle = chip.core.ops_per_cycle;
  const Recording recorded = recording_of("records", args.records, args, program, chip, context.strict);
  const chip::Sketch& sketch = recorded.sketch;
  if (!args.sketch_out.empty()) chip::write_sketch(args.sketch_out, sketch);
  const chip::Model model(chip, program);
  chip::DetectOptions options;
  std::optional<Recording> healthy;
  if (!args.healthy.empty()) {
    healthy = recording_of("healthy run", args.healthy, args, program, chip, context.strict);
    options.healthy = &healthy->sketch;
  }
  if (!args.no_replay) options.replay = replay_of(model, sketch, context);
  chip::MethodResult judged = judge(method, sketch, chip, program, options);
  finding::Diagnosis d = diagnose(judged.detection, sketch, chip, program);
  std::move(judged.figures.begin(), judged.figures.end(), std::back_inserter(d.figures));
  d.seed = context.seed;
  add_recording(d, recorded);
  d.options.emplace_back("recorder budget, bytes a core", std::to_string(sketch.options().budget_bytes));
  d.options.emplace_back("method", args.method);
  d.options.emplace_back("recorder", recorded.recorder);
  d.options.emplace_back("replay", args.no_replay ? "off" : "on");
  if (healthy) add_recording(d, *healthy);
  for (const auto& [role, path] : {std::pair("chip", &args.chip), std::pair("mapping", &args.mapping)})
    d.inputs.push_back(Context::input(role, *path, base::read_file(*path)));
  if (args.sketch_out != "-") context.show(std::move(d));
}

}  // namespace

void add_chip_diagnose(Command& chip, Context& context) {
  Command* app =
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
      ->check(one_of({"sketch", "tile"}));
  app->add_option("--tile-queue", args->tile.queue, "Records that may wait in front of a tile")
      ->capture_default_str()
      ->check(range(0, 64));
  app->add_flag("--tile-wait", args->tile.wait, "A core waits for its tile instead of losing a record");
  app->add_option("--budget", args->sketch.budget_bytes, "Recorder memory, bytes a core")
      ->capture_default_str();
  app->add_option("--threshold", args->sketch.threshold, "Occurrences before a pattern is kept (H)")
      ->capture_default_str()
      ->check(range(1, 65535));
  app->add_option("--evict", args->eviction, "What leaves a full sketch")
      ->capture_default_str()
      ->check(one_of({"earliest", "healthiest", "least-frequent", "random"}));
  app->add_flag("--exact", args->exact,
                "Keep an exact table instead of a sketch; an error when it does not fit");
  app->add_flag("--no-replay", args->no_replay,
                "Judge from the records alone, without simulating hypotheses");
  context.add_output_options(*app);
  context.add_seed(*app);
  example(
      *app,
      "lento chip diagnose run.probe --chip examples/chip/4x4.yaml --mapping examples/chip/tiny.map.json");
  app->callback([args, app, &context] {
    for (const char* option : {"--budget", "--threshold", "--evict", "--exact", "--recorder"})
      if (app->count(option) > 0) args->given = option;
    run_diagnose(*args, context);
  });
}

}  // namespace lento::cli
