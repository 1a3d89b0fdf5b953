// lento memory record -- PROGRAM: runs a program that was built with the recorder, and names the data that
// threads contend for.
#include "base/error.h"
#include "base/file.h"
#include "cli/commands/commands.h"
#include "memory/recording.h"

namespace lento::cli {
namespace {

struct RecordOptions {
  memory::MemoryRecordingOptions job;
  std::string runtime;
  uint64_t megabytes = 256;
  bool full = false;
};

void run(Context& context, const RecordOptions& options) {
  if (!options.runtime.empty())
    base::write_file(options.runtime, memory::recorder_runtime());
  if (options.job.command.empty()) {
    if (options.runtime.empty())
      throw base::Error({"PROGRAM"}, "no program to record", "write: lento memory record -- ./program");
    return;
  }
  memory::MemoryRecordingOptions job = options.job;
  job.output_to_stderr = context.json;  // standard output holds the verdict alone
  if (job.output.empty())
    job.output = "run.access";
  job.bytes = options.megabytes << 20;
  if (options.full)
    job.burst_off_us = 0;
  job.mine.support = 0.05;
  job.mine.seed = context.seed;
  job.mine.progress = context.progress();
  context.show(memory::record_memory(job).diagnosis);
}

}  // namespace

void add_memory_record(Command& group, Context& context) {
  Command* command = group.add_subcommand(
      "record",
      "Run a program built with the recorder: who fights over what, on machines without counters");
  auto options = std::make_shared<RecordOptions>();
  command->add_option("PROGRAM", options->job.command, "The program and its arguments, after --");
  command->add_option("-o,--output", options->job.output, "Where the access trace goes")->type_name("FILE");
  command
      ->add_option(
          "--runtime",
          options->runtime,
          "Write the recorder as a C file: compile the program with -g -fsanitize=thread -c, the recorder "
          "without it, and link both with -ldl -pthread")
      ->type_name("FILE");
  command->add_flag("--full", options->full, "Record every access instead of 1 ms in 20");
  command->add_option("--limit", options->megabytes, "MiB of recording, before it is packed")
      ->check(range(1, 65536))
      ->capture_default_str();
  command->add_option("--line", options->job.line_bytes, "Bytes of a cache line; default: of this machine")
      ->check(range(4, 128));
  command
      ->add_option(
          "--bandwidth",
          options->job.bandwidth,
          "Bytes a cycle that the memory of a node serves, instead of the platform's: 12.8 are 38 GB/s at 3 "
          "GHz")
      ->check(range(0.1, 1e4));
  command
      ->add_option(
          "--platform",
          options->job.platform,
          "The machine that the threads are played on: a file of 'lento memory calibrate' or a shipped "
          "sheet, "
          "such as xeon-icelake or epyc-genoa; default: a usual server")
      ->type_name("FILE|NAME");
  command
      ->add_option(
          "--nodes",
          options->job.nodes,
          "NUMA nodes to play the threads on, in blocks; a page lies where it is first used")
      ->check(range(1, 64))
      ->capture_default_str();
  command
      ->add_option(
          "--repeat",
          options->job.repeat,
          "Record so many runs and keep what more than half of them show")
      ->check(range(1, 100))
      ->capture_default_str();
  context.add_output_options(*command);
  context.add_seed(*command);
  example(*command, "lento memory record -o run.access -- ./program 4");
  command->callback([&context, options] {
    run(context, *options);
  });
}

}  // namespace lento::cli
