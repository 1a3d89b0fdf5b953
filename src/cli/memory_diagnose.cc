// lento memory diagnose TRACE...: contention windows, patterns and hot lines of access traces.
#include <filesystem>
#include <memory>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/memory_trace.h"
#include "cli/tables.h"
#include "finding/diff.h"
#include "memory/mine/contention.h"
#include "trace/foreign.h"

namespace lento::cli {
namespace {

struct DiagnoseOptions {
  std::vector<std::string> traces, before;
  std::string elf, format = "auto", columns, support, threshold, rule = "nearest", cpus, folded;
  bool tables = false;
  memory::ContentionOptions mine;
};

uint64_t cpu_mask(const std::string& text) {
  uint64_t mask = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, comma - at);
    const size_t dash = part.find('-');
    const int64_t first = base::parse_int(part.substr(0, dash), {"--cpus"}, 0, 63);
    const int64_t last =
        dash == std::string::npos ? first : base::parse_int(part.substr(dash + 1), {"--cpus"}, first, 63);
    for (int64_t c = first; c <= last; ++c) mask |= uint64_t{1} << c;
    at = comma + 1;
  }
  return mask;
}

memory::ContentionOptions mining_options(Context& context, const DiagnoseOptions& options) {
  memory::ContentionOptions mine = options.mine;
  mine.seed = context.seed;
  mine.progress = context.progress();
  mine.filter.cpus = cpu_mask(options.cpus);
  mine.rule = options.rule == "nearest"  ? memory::QuantileRule::NearestRank
              : options.rule == "linear" ? memory::QuantileRule::Linear
                                         : memory::QuantileRule::Grouped;
  if (!options.threshold.empty()) mine.threshold = base::parse_double(options.threshold, {"--threshold"});
  const std::string support = !options.support.empty() ? options.support : mine.paper ? "65%" : "5%";
  if (!support.ends_with('%'))
    throw base::Error({"--support"}, "needs a share of windows", "write for example 65%");
  mine.support = base::parse_double(support.substr(0, support.size() - 1), {"--support"}) / 100;
  if (!(mine.support > 0 && mine.support <= 1))
    throw base::Error({"--support"}, "is not between 0% and 100%");
  return mine;
}

// What the first pass depends on: files by name, size and time of change, and the options that choose
// records.
std::string pass_key(const DiagnoseOptions& options) {
  std::ostringstream key;
  std::error_code none;  // opening the file will tell
  std::vector<std::string> files = options.traces;
  files.push_back(options.elf);
  for (const std::string& path : files) {
    key << path << "|" << std::filesystem::file_size(path, none) << "|"
        << std::filesystem::last_write_time(path, none).time_since_epoch().count() << "|";
  }
  const memory::AccessFilter& filter = options.mine.filter;
  key << options.format << "|" << options.columns << "|" << options.cpus << "|" << filter.first_cycle << "|"
      << filter.last_cycle << "|" << filter.function << "|" << options.mine.line_bytes;
  return base::digest(key.str());
}

// All that decides the result beside the traces.
void list_options(const DiagnoseOptions& options, const memory::ContentionOptions& mine,
                  finding::Diagnosis& diagnosis) {
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) diagnosis.options.emplace_back(name, value);
  };
  add("format", options.format);
  add("columns", options.columns);
  add("window", std::to_string(mine.window));
  add("least support", base::format_number(100 * mine.support) + " %");
  add("threshold", options.threshold);
  add("quantile rule", options.rule);
  add("line bytes", std::to_string(mine.line_bytes));
  add("latency bins", std::to_string(mine.bins));
  add("alpha", base::format_number(mine.alpha));
  add("least loss", base::format_number(100 * mine.least_loss) + " %");
  if (mine.slice > 0) add("slice", std::to_string(mine.slice));
  if (mine.object_bytes > 0) add("object bytes", std::to_string(mine.object_bytes));
  add("cpus", options.cpus);
  add("function", mine.filter.function);
  if (mine.filter.first_cycle > 0) add("first cycle", std::to_string(mine.filter.first_cycle));
  if (mine.filter.last_cycle < UINT64_MAX) add("last cycle", std::to_string(mine.filter.last_cycle));
  if (mine.paper || mine.literal) add("windows", mine.literal ? "literal" : "paper");
}

// Opens the files as one trace, as often as asked.
memory::OpenTrace opener(Context& context, const DiagnoseOptions& options,
                         const std::vector<std::string>& paths) {
  return [&context, &options, paths](base::ReadReport& report) {
    report.strict = context.strict;
    return open_access_traces(options.format, paths, options.columns, report);
  };
}

void run_diagnose(Context& context, const DiagnoseOptions& options) {
  for (const auto& paths : {options.traces, options.before})
    require_files(paths, "store the trace in a file; it is read more than once");
  memory::ContentionOptions mine = mining_options(context, options);
  if (!mine.checkpoint.empty()) mine.checkpoint_key = pass_key(options);
  std::unique_ptr<trace::Symbols> symbols;
  if (!options.elf.empty()) symbols = std::make_unique<trace::Symbols>(options.elf);
  const auto diagnose = [&](const std::vector<std::string>& paths, const memory::ContentionOptions& how) {
    return memory::diagnose_contention(opener(context, options, paths), symbols.get(), how);
  };
  memory::ContentionResult result = diagnose(options.traces, mine);
  if (!mine.checkpoint.empty() && !mine.progress.stopped()) {
    std::error_code gone;
    std::filesystem::remove(mine.checkpoint, gone);
  }
  finding::Diagnosis& diagnosis = result.diagnosis;
  for (const std::string& path : options.traces)
    diagnosis.inputs.push_back(Context::input_file("trace", path));
  list_options(options, mine, diagnosis);
  if (symbols)
    diagnosis.inputs.push_back(Context::input("program", options.elf, base::read_file(options.elf)));
  if (!options.before.empty()) {
    mine.checkpoint.clear();
    const finding::Diagnosis before = diagnose(options.before, mine).diagnosis;
    for (finding::Figure& figure : finding::compare(before, diagnosis).figures)
      diagnosis.figures.push_back(std::move(figure));
    for (const std::string& path : options.before)
      diagnosis.inputs.push_back(Context::input_file("trace before", path));
  }
  if (!options.folded.empty()) base::write_file(options.folded, result.folded);
  const bool print_tables = (options.tables || !options.before.empty()) && !context.json;
  const std::string tables = print_tables ? tables_as_text(diagnosis) : "";
  context.show(std::move(diagnosis));
  context.streams.out << tables;
}

}  // namespace

void add_memory_diagnose(Command& group, Context& context) {
  Command* command =
      group.add_subcommand("diagnose", "Who fights over memory: windows, patterns, hot lines, causes");
  auto options = std::make_shared<DiagnoseOptions>();
  memory::ContentionOptions& mine = options->mine;
  command->add_option("TRACE", options->traces, "Access traces; several files are merged by time")
      ->required();
  command->add_option("--before", options->before, "Traces of an earlier run: also tell what changed")
      ->type_name("TRACE");
  command
      ->add_option("--checkpoint", mine.checkpoint,
                   "Keep the state of the first pass here; after a kill the same command goes on from it")
      ->type_name("FILE");
  command->add_flag("--tables", options->tables,
                    "Print the tables too: patterns, functions, hottest lines, who delays whom");
  command->add_option("--elf", options->elf, "The traced program: names functions, lines and variables");
  command->add_option("--format", options->format, "auto, text, " + trace::foreign_formats())
      ->capture_default_str();
  command->add_option("--columns", options->columns,
                      "Column order of paper text, for example cpu,cycle,pc,type,address,latency");
  command->add_option("--window", mine.window, "Width of a contention window, cycles")->capture_default_str();
  command->add_option("--slice", mine.slice,
                      "Sampled traces: width of a slice of time; default a hundredth of the run");
  command->add_option("--object", mine.object_bytes,
                      "Sampled traces: bytes of what counts as one object; default a line");
  command->add_option("--support", options->support, "Least share of windows: 5%, with --paper 65%");
  command->add_option("--threshold", options->threshold,
                      "High latency; default: third quartile of non-trivial accesses");
  command->add_option("--quantile", options->rule, "Rule of the quartile")
      ->check(one_of({"nearest", "linear", "grouped"}))
      ->capture_default_str();
  command->add_option("--line", mine.line_bytes, "Bytes of a cache line")
      ->check(range(4, 4096))
      ->capture_default_str();
  command->add_option("--alpha", mine.alpha, "Family-wise error rate")->capture_default_str();
  command->add_option("--from", mine.filter.first_cycle, "Only accesses from this cycle on");
  command->add_option("--to", mine.filter.last_cycle, "Only accesses up to this cycle");
  command->add_option("--cpus", options->cpus, "Only these CPUs: 0-3,7");
  command->add_option("--function", mine.filter.function, "Only accesses made in this function");
  command->add_option("--folded", options->folded, "Also write folded stacks weighted by lost cycles")
      ->type_name("FILE");
  command->add_flag("--paper", mine.paper,
                    "As in the paper: single symbols of all accesses, ranked by support");
  command->add_flag("--literal", mine.literal, "Algorithm 1 as it stands: windows do not overlap");
  context.add_output_options(*command);
  context.add_seed(*command);
  example(*command, "lento memory diagnose run.acc --elf program.elf --html contention.html");
  command->callback([&context, options] { run_diagnose(context, *options); });
}

}  // namespace lento::cli
