// lento memory replay: gives latencies to a trace that has none, by our cache and bus model.
#include "base/error.h"
#include "cli/commands.h"
#include "cli/memory_trace.h"
#include "memory/platform/platform.h"
#include "trace/access_file.h"
#include "trace/foreign.h"

namespace lento::cli {
namespace {

struct Arguments {
  std::vector<std::string> traces;
  std::string format = "auto", columns, platform, output;
  int harts = 0;
};

void run(const Arguments& args, Context& context) {
  memory::Platform platform;
  platform.harts = memory::Platform::kMaxHarts;
  if (!args.platform.empty()) platform = memory::read_platform(args.platform);
  if (args.harts > 0) platform.harts = args.harts;
  base::ReadReport report;
  report.strict = context.strict;
  const auto source = open_access_traces(args.format, args.traces, args.columns, report);
  trace::AccessFileWriter writer(args.output);
  const memory::ReplayResult result = memory::replay(*source, platform, writer, context.progress());
  writer.finish();

  finding::Diagnosis d;
  d.scale = "memory";
  d.title = "Replay of " + args.traces.front() + (args.traces.size() > 1 ? " and others" : "");
  d.verdict = std::to_string(result.accesses) + " accesses took " + std::to_string(result.cycles) + " cycles";
  d.facts = {{"accesses", std::to_string(result.accesses)}, {"cycles", std::to_string(result.cycles)}};
  if (result.folded > 0)
    d.notes.push_back(
        std::to_string(result.folded) +
        " addresses beyond the model's lines were folded into them; rare false conflicts may follow");
  for (const std::string& path : args.traces) d.inputs.push_back(Context::input_file("trace", path));
  if (!args.platform.empty()) d.inputs.push_back(Context::input_file("platform", args.platform));
  d.options = {{"format", args.format}, {"harts", std::to_string(platform.harts)}};
  if (!args.columns.empty()) d.options.emplace_back("columns", args.columns);
  finding::add_read_report(d, report);
  context.show(std::move(d));
}

}  // namespace

void add_memory_replay(Command& group, Context& context) {
  Command* command = group.add_subcommand("replay", "Put a trace without latency through our caches and bus");
  auto args = std::make_shared<Arguments>();
  command->add_option("TRACE", args->traces, "Traces of any format; several are merged by time")->required();
  command->add_option("--format", args->format, "auto, text, " + trace::foreign_formats())
      ->capture_default_str();
  command->add_option("--columns", args->columns, "Column order of paper text");
  command->add_option("-o,--output", args->output, "Where the trace with latencies goes")
      ->required()
      ->type_name("FILE");
  command->add_option("--platform", args->platform, "Platform (YAML)")->type_name("FILE");
  command->add_option("--harts", args->harts, "Harts, instead of the platform's; without a platform 64")
      ->check(range(1, memory::Platform::kMaxHarts));
  context.add_output_options(*command);
  example(*command,
          "lento memory replay addresses.txt --platform examples/memory/default.yaml -o timed.access");
  command->callback([&context, args] { run(*args, context); });
}

}  // namespace lento::cli
