// lento memory diagnose TRACE...: finds contention windows, patterns and hot lines in access traces.
#include <bit>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "cli/commands/commands.h"
#include "cli/tables.h"
#include "memory/diagnose.h"
#include "memory/read/foreign.h"

namespace lento::cli {
namespace {

struct DiagnoseOptions {
  memory::MemoryDiagnosisOptions job;
  std::string support;
  std::string threshold;
  std::string rule = "nearest";
  std::string cpus;
  std::string folded;
  bool tables = false;
};

memory::QuantileRule rule_named(const std::string& name) {
  if (name == "nearest")
    return memory::QuantileRule::NearestRank;
  if (name == "linear")
    return memory::QuantileRule::Linear;
  return memory::QuantileRule::Grouped;
}

// Returns the share that a percentage states.
double share_of(const std::string& support) {
  if (!support.ends_with('%'))
    throw base::Error({"--support"}, "needs a share of windows", "write for example 65%");
  const double share = base::parse_double(support.substr(0, support.size() - 1), {"--support"}) / 100;
  if (!(share > 0 && share <= 1))
    throw base::Error({"--support"}, "is not between 0% and 100%");
  return share;
}

// Returns the job that the options describe.
memory::MemoryDiagnosisOptions job_of(Context& context, const DiagnoseOptions& options) {
  memory::MemoryDiagnosisOptions job = options.job;
  job.strict = context.strict;
  memory::ContentionOptions& mine = job.mine;
  mine.seed = context.seed;
  mine.progress = context.progress();
  mine.filter.cpus = memory::parse_cpus(options.cpus, "--cpus");
  mine.rule = rule_named(options.rule);
  if (mine.filter.first_cycle > mine.filter.last_cycle)
    throw base::Error(
        {"--from"},
        "cycle " + std::to_string(mine.filter.first_cycle) + " is behind --to " +
            std::to_string(mine.filter.last_cycle));
  if (mine.line_bytes != 0 && !std::has_single_bit(mine.line_bytes))
    throw base::Error(
        {"--line"},
        "a cache line has 4, 8, 16, 32, 64 or 128 bytes, not " + std::to_string(mine.line_bytes));
  if (!options.threshold.empty())
    mine.threshold = base::parse_double(options.threshold, {"--threshold"});
  if (!options.support.empty())
    mine.support = share_of(options.support);
  return job;
}

void run_diagnose(Context& context, const DiagnoseOptions& options) {
  memory::MemoryDiagnosis result = memory::diagnose_memory(job_of(context, options));
  if (!options.folded.empty())
    base::write_file(options.folded, result.folded);
  const bool print_tables = (options.tables || !options.job.before.empty()) && !context.json;
  const std::string tables = print_tables ? tables_as_text(result.diagnosis) : "";
  context.show(std::move(result.diagnosis));
  context.streams.out << tables;
}

}  // namespace

void add_memory_diagnose(Command& group, Context& context) {
  Command* command =
      group.add_subcommand("diagnose", "Who fights over memory: windows, patterns, hot lines, causes");
  auto options = std::make_shared<DiagnoseOptions>();
  memory::MemoryDiagnosisOptions& job = options->job;
  memory::ContentionOptions& mine = job.mine;
  command->add_option("TRACE", job.traces.paths, "Access traces; several files are merged by time")
      ->required();
  command->add_option("--before", job.before, "Traces of an earlier run: also tell what changed")
      ->type_name("TRACE");
  command
      ->add_option(
          "--checkpoint",
          job.checkpoint,
          "Keep the state of the first pass here; after a kill the same command goes on from it")
      ->type_name("FILE");
  command
      ->add_option(
          "--platform",
          job.platform,
          "Play the trace again on this platform (YAML) with the accused data moved: what a fix would bring")
      ->type_name("FILE");
  command->add_flag(
      "--tables",
      options->tables,
      "Print the tables too: patterns, functions, hottest lines, who delays whom");
  command
      ->add_option(
          "--elf",
          job.programs,
          "The traced program and its libraries: names functions, lines and variables; @0xADDRESS behind "
          "a position-independent one says where it was loaded")
      ->type_name("FILE");
  command->add_option("--maps", job.maps, "/proc/PID/maps of the traced process: what lay where")
      ->type_name("FILE");
  command->add_option("--perf-map", job.perf_maps, "perf-PID.map: names of code made at run time")
      ->type_name("FILE");
  command->add_option("--format", job.traces.format, "auto, text, " + memory::foreign_formats())
      ->capture_default_str();
  command->add_option(
      "--columns",
      job.traces.columns,
      "Column order of paper text, for example cpu,cycle,pc,type,address,latency");
  command->add_option("--window", mine.window, "Width of a contention window, cycles")
      ->check(range(1, 1000000000))
      ->capture_default_str();
  command->add_option(
      "--slice",
      mine.slice,
      "Sampled traces: width of a slice of time; default a hundredth of the run");
  command->add_option(
      "--object",
      mine.object_bytes,
      "Sampled traces: bytes of what counts as one object; default a line");
  command->add_option("--support", options->support, "Least share of windows: 5%, with --paper 65%");
  command->add_option(
      "--threshold",
      options->threshold,
      "High latency; default: third quartile of non-trivial accesses");
  command->add_option("--quantile", options->rule, "Rule of the quartile")
      ->check(one_of({"nearest", "linear", "grouped"}))
      ->capture_default_str();
  command
      ->add_option("--line", mine.line_bytes, "Bytes of a cache line; default: as the trace says, else found")
      ->check(range(4, 128));
  command->add_option(
      "--period",
      mine.period,
      "Sampled traces: accesses that one sample stands for; default: as the trace says");
  command->add_option("--alpha", mine.alpha, "Family-wise error rate")
      ->check(range(1e-12, 0.5))
      ->capture_default_str();
  command->add_option("--from", mine.filter.first_cycle, "Only accesses from this cycle on");
  command->add_option("--to", mine.filter.last_cycle, "Only accesses up to this cycle");
  command->add_option("--cpus", options->cpus, "Only these CPUs: 0-3,7");
  command->add_option("--function", mine.filter.function, "Only accesses made in this function");
  command->add_option("--folded", options->folded, "Also write folded stacks weighted by lost cycles")
      ->type_name("FILE");
  command->add_flag(
      "--paper",
      mine.paper,
      "As in the paper: single symbols of all accesses, ranked by support");
  command->add_flag("--literal", mine.literal, "Algorithm 1 as it stands: windows do not overlap");
  context.add_output_options(*command);
  context.add_seed(*command);
  example(*command, "lento memory diagnose run.acc --elf program.elf --html contention.html");
  command->callback([&context, options] {
    run_diagnose(context, *options);
  });
}

}  // namespace lento::cli
