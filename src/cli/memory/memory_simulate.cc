// lento memory simulate GUEST.elf: runs a program on the multiprocessor, writes its access trace.
#include <ostream>

#include "cli/context.h"
#include "memory/platform/platform.h"
#include "memory/simulation.h"
#include "riscv/tohost.h"

namespace lento::cli {
namespace {

struct MemorySimulateArguments {
  memory::MemorySimulationOptions run;
  bool tohost = false;
};

// Runs a conformance program on a machine with flat RAM, until it stores to tohost.
void run_tohost(const MemorySimulateArguments& args, Context& context) {
  riscv::Machine machine;
  const std::string& guest = args.run.guest;
  const uint64_t limit = args.run.max_cycles > 0 ? args.run.max_cycles : UINT64_MAX;
  const auto word = riscv::run_to_tohost(machine, riscv::read_elf(guest), guest, limit, context.progress());
  if (!word)
    return;
  const uint32_t value = *word;
  context.streams.out << (value == 1 ? "pass" : "fail " + std::to_string(value >> 1)) << "\n";
  if (value != 1)
    context.result = 1;
}

void run_platform(memory::MemorySimulationOptions& options, Context& context) {
  options.seed = context.seed;
  options.progress = context.progress();
  options.console = [&](std::string_view text) {
    context.streams.err << text;
  };
  context.show(memory::simulate_memory(options));
}

}  // namespace

void add_memory_simulate(Command& group, Context& context) {
  Command* command =
      group.add_subcommand("simulate", "Run a program on a simulated shared-memory multiprocessor");
  auto args = std::make_shared<MemorySimulateArguments>();
  command->add_option("GUEST", args->run.guest, "RV32IMA program (ELF)")->required();
  command
      ->add_option(
          "--platform",
          args->run.platform,
          "Platform (YAML); without it the shipped default, examples/memory/default.yaml")
      ->type_name("FILE");
  command->add_option("--harts", args->run.harts, "Harts, instead of the platform's")
      ->check(range(1, memory::Platform::kMaxHarts));
  command->add_option("--disk", args->run.disk, "Content of the block device")->type_name("FILE");
  command
      ->add_option(
          "--frames",
          args->run.frames,
          "Write the frames of the frame buffer into this folder (PNM)")
      ->type_name("DIR");
  command->add_option("--trace", args->run.trace, "Write the access trace (compressed chunks)")
      ->type_name("FILE");
  command->add_option("--text", args->run.text, "Write the access trace as text, lossless")
      ->type_name("FILE");
  command->add_option("--paper-text", args->run.paper, "Write the paper's six columns as text")
      ->type_name("FILE");
  command->add_option("--argument", args->run.arguments, "A word that the guest can read (up to 8)")
      ->expected(1, 8);
  command->add_option(
      "--max-cycles",
      args->run.max_cycles,
      "Stop after so many cycles (--tohost: instructions)");
  command->add_flag(
      "--tohost",
      args->tohost,
      "Conformance run on flat RAM until a store to 'tohost': exit 0 when it passes, else 1");
  context.add_seed(*command);
  context.add_output_options(*command);
  example(
      *command,
      "lento memory simulate mjpeg.elf --platform examples/memory/default.yaml --disk clip.mjpeg --trace "
      "clip.access");
  command->callback([&context, args] {
    args->tohost ? run_tohost(*args, context) : run_platform(args->run, context);
  });
}

}  // namespace lento::cli
