// lento chip simulate: runs a mapping on a chip, writes its probe records and prints how busy every part was.
// With --trace it simulates a recorded program on a fabric and compares it with the measured times.
#include <utility>

#include "chip/play.h"
#include "chip/simulation.h"
#include "cli/chip/record_options.h"
#include "cli/commands/commands.h"

namespace lento::cli {
namespace {

struct ChipSimulateArguments {
  chip::ChipSimulationOptions run;
  chip::ChipPlayOptions play;
  std::string form = "binary";
  std::string preset = "full";
};

void play(ChipSimulateArguments& args, Context& context) {
  args.play.chip = args.run.chip;
  args.play.sources.strict = context.strict;
  context.show(chip::chip_play(args.play));
}

void run(ChipSimulateArguments& args, Context& context) {
  if (!args.play.sources.files.empty())
    return play(args, context);
  if (args.run.mapping.empty())
    throw UsageError("--mapping is required, or --trace to play a recorded program");
  // With --mapping, --trace-out takes the trace of every simulated event and not the timelines of the
  // diagnosis, which Context::show would write. With --trace only the timelines exist.
  args.run.chrome_trace = std::exchange(context.trace_out, {});
  args.run.seed = context.seed;
  args.run.form = args.form == "text"        ? chip::ProbeForm::Text
                  : args.form == "unchecked" ? chip::ProbeForm::Unchecked
                                             : chip::ProbeForm::Binary;
  args.run.released = args.preset == "released";
  auto diagnosis = chip::simulate_chip(args.run, context.progress());
  if (diagnosis && args.run.records != "-" && args.run.chrome_trace != "-")
    context.show(std::move(*diagnosis));
}

}  // namespace

void add_chip_simulate(Command& app, Context& context) {
  Command* command = app.add_subcommand("simulate", "Run a mapping on a chip and write its probe records");
  auto args = std::make_shared<ChipSimulateArguments>();
  command
      ->add_option(
          "--chip",
          args->run.chip,
          "Chip (YAML, or the released architecture JSON); with --trace also wormhole or blackhole")
      ->required()
      ->type_name("FILE");
  command
      ->add_option(
          "--mapping",
          args->run.mapping,
          "Mapping (compact map format); needed unless --trace is given")
      ->type_name("FILE");
  command->add_option("--faults", args->run.faults, "What to slow down (YAML or the released JSON)")
      ->type_name("FILE");
  command->add_option("--inferences", args->run.inferences, "Inferences, back to back")
      ->check(range(1, 10000))
      ->capture_default_str();
  command
      ->add_option(
          "--probes",
          args->run.probes,
          "full, communication, compute, none, generated, or a plan file")
      ->capture_default_str();
  command->add_option("--preset", args->preset, "full, or released: the model of the released SLOTH example")
      ->check(one_of({"full", "released"}))
      ->capture_default_str();
  command->add_option("-o,--output", args->run.records, "Probe records")->type_name("FILE");
  command
      ->add_option(
          "--form",
          args->form,
          "Of the records; unchecked: binary of versions 1 and 2, without check sums")
      ->check(one_of({"binary", "text", "unchecked"}))
      ->capture_default_str();
  command
      ->add_option(
          "--trace",
          args->play.sources.files,
          "Play this recorded program (as `lento chip import` reads it; one file a chip)")
      ->type_name("FILE");
  command->add_flag(
      "--issue-times",
      args->play.use_stamps,
      "With --trace: issue each transfer when recorded, not when the model would");
  add_record_options(*command, args->play.sources);
  context.add_seed(*command);
  context.add_output_options(*command);
  example(
      *command,
      "lento chip simulate --chip examples/chip/4x4.yaml --mapping examples/chip/tiny.map.json -o run.probe");
  command->callback([&context, args] {
    run(*args, context);
  });
}

}  // namespace lento::cli
