// lento chip diagnose: finds slow components of a chip from a sketch, the fixed-size summary of each core's
// records. Given probe records, it first runs them through a recorder, which fills such a sketch.
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "chip/diagnose.h"
#include "chip/methods.h"
#include "cli/chip/record_options.h"
#include "cli/commands/commands.h"
#include "desk/tile_recorder.h"

namespace lento::cli {
namespace {

using Kind = chip::ChipRecorderOptions::Kind;

struct ChipDiagnoseArguments {
  chip::ChipDiagnosisOptions job;
  std::string eviction = "earliest";
  std::string method = "lento";
  std::string recorder = "sketch";
  desk::TileRecorderOptions tile;
  bool exact = false;
  bool no_replay = false;
  bool no_model = false;
  std::vector<std::string> runs;
  const std::vector<chip::Method>* methods = nullptr;
};

// Returns which entry a full sketch replaces when a new one comes.
chip::Eviction eviction_of(const std::string& name) {
  if (name == "healthiest")
    return chip::Eviction::Healthiest;
  if (name == "least-frequent")
    return chip::Eviction::LeastFrequent;
  if (name == "random")
    return chip::Eviction::Random;
  return chip::Eviction::Earliest;
}

// Throws base::Error when --healthy names the file of the run that is to be judged.
void check_healthy(const chip::ChipDiagnosisOptions& job) {
  std::error_code code;
  if (!job.healthy.empty() && std::filesystem::equivalent(job.healthy, job.records, code))
    throw base::Error(
        {job.healthy},
        "is the run that is judged, and cannot be the healthy one too",
        "record a run that is known to be healthy, or leave --healthy out");
}

// Runs `lento chip diagnose`.
void run_diagnose(const ChipDiagnoseArguments& args, Context& context) {
  chip::ChipDiagnosisOptions job = args.job;
  job.records = args.runs.front();
  job.further.assign(args.runs.begin() + 1, args.runs.end());
  check_healthy(job);
  job.models = models_folder(job.models);
  job.method = chip::parse_method(args.method, *args.methods, {"--method"});
  job.recorder.sketch.eviction = eviction_of(args.eviction);
  job.recorder.kind = args.recorder == "tile" ? Kind::Given : args.exact ? Kind::ExactTable : Kind::Sketch;
  job.recorder.make = desk::make_tile_recorder(args.tile);
  job.recorder.name = args.recorder;
  job.replay = !args.no_replay;
  job.model = !args.no_model;
  job.strict = context.strict;
  job.seed = context.seed;
  finding::Diagnosis d = chip::diagnose_chip(job, context.progress());
  if (job.sketch_out != "-")
    context.show(std::move(d));
}

void add_recorder_options(Command& app, ChipDiagnoseArguments& args) {
  chip::ChipRecorderOptions& recorder = args.job.recorder;
  app.add_option("--recorder", args.recorder, "The sketch in C++, or as a program of a tile beside each core")
      ->capture_default_str()
      ->check(one_of({"sketch", "tile"}));
  app.add_option("--tile-queue", args.tile.queue, "Records that may wait in front of a tile")
      ->capture_default_str()
      ->check(range(0, 64));
  app.add_flag("--tile-wait", args.tile.wait, "A core waits for its tile instead of losing a record");
  app.add_option("--budget", recorder.sketch.budget_bytes, "Recorder memory, bytes a core")
      ->capture_default_str();
  app.add_option("--threshold", recorder.sketch.threshold, "Occurrences before a pattern is kept (H)")
      ->capture_default_str()
      ->check(range(1, 65535));
  app.add_option("--evict", args.eviction, "What leaves a full sketch")
      ->capture_default_str()
      ->check(one_of({"earliest", "healthiest", "least-frequent", "random"}));
  app.add_flag(
      "--exact",
      args.exact,
      "Keep an exact table instead of a sketch; an error when it does not fit");
}

std::string names_of(const std::vector<chip::Method>& methods) {
  std::string out;
  for (const chip::Method& m : methods)
    out += (out.empty() ? "" : ", ") + std::string(m.name);
  return out;
}

}  // namespace

void add_chip_diagnose(Command& chip, Context& context) {
  add_chip_diagnose_by(chip, context, chip::chip_methods());
}

void add_chip_diagnose_by(Command& chip, Context& context, const std::vector<chip::Method>& methods) {
  Command* app =
      chip.add_subcommand("diagnose", "Names the slow core, link, router, memory unit or DRAM port");
  auto args = std::make_shared<ChipDiagnoseArguments>();
  args->methods = &methods;
  chip::ChipDiagnosisOptions& job = args->job;
  app->add_option(
         "records",
         args->runs,
         "Probe records, or a sketch of them; - is standard input. Records of further runs of the same "
         "mapping "
         "on the same chip add evidence")
      ->required();
  app->add_option("--chip", job.chip, "The chip the records are from")->required();
  app->add_option("--mapping", job.mapping, "The mapping that ran")->required();
  app->add_option(
         "--method",
         args->method,
         "One of " + names_of(methods) + "; paper:restart=1,direction=1 sets parameters")
      ->capture_default_str();
  app->add_option("--healthy", job.healthy, "Records or sketch of a run known to be healthy");
  app->add_option("--sketch", job.sketch_out, "Also writes the sketch here: all that the verdict rests on");
  add_recorder_options(*app, *args);
  app->add_flag(
      "--no-replay",
      args->no_replay,
      "Judge from the records alone, without simulating hypotheses");
  app->add_flag(
      "--no-model",
      args->no_model,
      "Take times as recorded, and name whom the simulations name, without the check by the chip's model");
  app->add_option("--false-alarms", job.false_alarms, "Reports on a healthy run that may be, each run")
      ->capture_default_str()
      ->check(range(1e-6, 1.0));
  app->add_option(
         "--tolerance",
         job.tolerance,
         "Share by which a kind of parts may be slower than the chip file before that is a finding")
      ->capture_default_str()
      ->check(range(0.0, 1.0));
  add_models(*app, job.models);
  context.add_output_options(*app);
  context.add_seed(*app);
  example(
      *app,
      "lento chip diagnose run.probe --chip examples/chip/4x4.yaml --mapping examples/chip/tiny.map.json");
  app->callback([args, app, &context] {
    for (const char* option : {"--budget", "--threshold", "--evict", "--exact", "--recorder"})
      if (app->count(option) > 0)
        args->job.recorder_set_by = option;
    run_diagnose(*args, context);
  });
}

}  // namespace lento::cli
