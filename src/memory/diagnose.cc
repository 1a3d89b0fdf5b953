// Runs `lento memory diagnose`: opens traces, names and options, runs the contention detector, and adds what
// the detector cannot: the comparison with an earlier run, the predicted gain of fixes, checks of the named
// programs, and inputs with their digests.
#include "memory/diagnose.h"

#include <filesystem>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/units.h"
#include "finding/diff.h"
#include "finding/inputs.h"
#include "memory/c2c.h"
#include "memory/gpu/judge.h"
#include "memory/gpu/kernel_memory.h"
#include "memory/move.h"
#include "memory/program.h"
#include "memory/read/access_file.h"
#include "memory/read/foreign.h"
#include "program/jitdump.h"

namespace lento::memory {
namespace {

using base::format_number;
using base::ReadReport;
using finding::Diagnosis;

// Returns the key of the first pass's checkpoint: a digest of its files (name, size, time of change) and of
// the options that choose records.
std::string pass_key(const MemoryDiagnosisOptions& options) {
  std::ostringstream key;
  std::error_code none;  // opening the file reports the error
  std::vector<std::string> files = options.traces.paths;
  files.insert(files.end(), options.programs.begin(), options.programs.end());
  for (const std::string& path : files) {
    key << path << "|" << std::filesystem::file_size(path, none) << "|"
        << std::filesystem::last_write_time(path, none).time_since_epoch().count() << "|";
  }
  const AccessFilter& filter = options.mine.filter;
  key << options.traces.format << "|" << options.traces.columns << "|" << filter.cpus.text() << "|"
      << filter.first_cycle << "|" << filter.last_cycle << "|" << filter.function;
  return base::digest(key.str());
}

const char* rule_name(QuantileRule rule) {
  switch (rule) {
    case QuantileRule::NearestRank:
      return "nearest";
    case QuantileRule::Linear:
      return "linear";
    case QuantileRule::Grouped:
      return "grouped";
  }
  return "";
}

// Lists every option that decides the result, the traces apart.
void list_options(const MemoryDiagnosisOptions& options, Diagnosis& diagnosis) {
  const ContentionOptions& mine = options.mine;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      diagnosis.options.emplace_back(name, value);
  };
  add("format", options.traces.format);
  add("columns", options.traces.columns);
  add("window", std::to_string(mine.window));
  add("least support", format_number(100 * mine.least_support()) + " %");
  if (mine.threshold)
    add("threshold", format_number(*mine.threshold));
  add("quantile rule", rule_name(mine.rule));
  add("line bytes", mine.line_bytes > 0 ? std::to_string(mine.line_bytes) : "");
  add("latency bins", std::to_string(mine.bins));
  add("alpha", format_number(mine.alpha));
  add("least loss", format_number(100 * mine.least_loss) + " %");
  if (mine.period > 0)
    add("period", format_number(mine.period));
  if (mine.slice > 0)
    add("slice", std::to_string(mine.slice));
  if (mine.object_bytes > 0)
    add("object bytes", std::to_string(mine.object_bytes));
  add("cpus", mine.filter.cpus.text());
  add("function", mine.filter.function);
  if (mine.filter.first_cycle > 0)
    add("first cycle", std::to_string(mine.filter.first_cycle));
  if (mine.filter.last_cycle < UINT64_MAX)
    add("last cycle", std::to_string(mine.filter.last_cycle));
  if (mine.paper || mine.literal)
    add("windows", mine.literal ? "literal" : "paper");
}

// One run of the program: its traces, and the names of its addresses.
class Run {
 public:
  Run(const MemoryDiagnosisOptions& options, const std::vector<std::string>& paths)
      : options_(options),
        traces_(options.traces) {
    traces_.paths = paths;
    for (const std::string& program : options.programs)
      facts_.names.add_program(loaded(program));
    for (const std::string& path : options.maps)
      facts_.names.read_maps(base::read_file(path), 0);
    for (const std::string& path : options.perf_maps)
      read_made_code(path);
  }

  // Runs the analysis. Names and mappings are collected in the first pass over the trace only.
  ContentionResult diagnose(const ContentionOptions& mine) {
    const OpenTrace open = [this](ReadReport& report) {
      report.strict = options_.strict;
      // Later passes would read the same facts again.
      program::TraceFacts* facts = opened_ ? nullptr : &facts_;
      opened_ = true;
      return open_access_traces(traces_, report, facts);
    };
    ContentionResult result = diagnose_contention(open, facts_, mine);
    const Diagnosis& d = result.diagnosis;
    ReadReport read;
    read.taken = d.records_taken;
    read.skipped = d.records_skipped;
    for (const auto& [reason, count] : d.skip_reasons)
      read.reasons[reason] = count;
    require_records(traces_, read);
    if (d.records_taken > 0)
      check(result.diagnosis);
    return result;
  }

  // Predicts, for the first findings, the gain of moving their data, by a replay on the platform.
  void predict(const std::string& platform, ContentionResult& result) const {
    constexpr size_t kPredicted = 3;  // each replays the trace
    const OpenTrace open = [this](ReadReport& report) {
      return open_access_traces(traces_, report, nullptr);
    };
    const MovePredictor predictor(open, read_platform(platform));
    if (!predictor.fits()) {
      result.diagnosis.notes.push_back("no gain is predicted: " + predictor.reason());
      return;
    }
    auto& findings = result.diagnosis.findings;
    for (size_t i = 0; i < std::min(kPredicted, findings.size()); ++i) {
      for (const FoundObject& object : result.objects) {
        if (object.subject == findings[i].subject && object.cause == findings[i].category)
          add_gain(predictor.gain(object), findings[i]);
      }
    }
  }

 private:
  // Returns the program with its load address when the trace has neither mappings nor programs, else
  // unchanged.
  std::string loaded(const std::string& program) const {
    ReadReport report;
    program::TraceFacts facts;
    const auto source = open_access_traces(traces_, report, &facts);
    const std::string text = with_load_address(program, *source);
    const bool is_known = facts.names.has_mappings() || !facts.programs.empty();
    return is_known ? program : text;
  }

  // Adds the simulated speed-up to a finding.
  static void add_gain(const std::optional<double>& gain, finding::Finding& f) {
    if (!gain)
      return;
    f.factor = *gain;
    f.factor_of = "slower than with its data apart";
    f.evidence.push_back(
        {"predicted speed-up on the platform with the data moved apart",
         *gain,
         "x",
         "the trace played again"});
  }

  // Reads a perf map or a jitdump.
  void read_made_code(const std::string& path) {
    constexpr uint64_t kMost = uint64_t{1} << 30;
    const std::string bytes = base::read_file(path, kMost);
    if (program::is_jitdump(bytes))
      return program::read_jitdump(bytes, 0, path, facts_.names);
    facts_.names.read_perf_map(bytes, 0, path);
  }

  // Throws base::Error when a named program is not the traced one. Adds a note for one that only addresses
  // identify.
  void check(Diagnosis& diagnosis) {
    if (options_.programs.empty())
      return;
    ReadReport report;
    const auto source = open_access_traces(traces_, report, nullptr);
    for (std::string& note : check_programs(facts_, *source))
      diagnosis.notes.push_back(std::move(note));
  }

  const MemoryDiagnosisOptions& options_;
  AccessTraces traces_;
  program::TraceFacts facts_;
  bool opened_ = false;
};

// Lists all input files in the diagnosis. The load address behind a program's path is cut off.
void add_inputs(const MemoryDiagnosisOptions& options, Diagnosis& diagnosis) {
  const auto add = [&](const std::string& role, const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
      diagnosis.inputs.push_back(finding::input_of(role, path.substr(0, path.rfind("@0x"))));
  };
  add("trace", options.traces.paths);
  add("program", options.programs);
  add("maps", options.maps);
  add("perf map", options.perf_maps);
  add("trace before", options.before);
  if (!options.platform.empty())
    add("platform", {options.platform});
}

// Returns whether the single trace is a report of perf c2c.
bool is_c2c(const MemoryDiagnosisOptions& options) {
  const std::string& format = options.traces.format;
  if (format != "auto" || options.traces.paths.size() != 1)
    return format == "c2c";
  const std::string& path = options.traces.paths.front();
  if (AccessFile::recognises(path))
    return false;
  return recognise_foreign(path) == "c2c";
}

// Returns the single input file of a format that is already summed over the run. Throws base::Error for
// several files, and for options that need a trace.
const std::string& one_summary(const MemoryDiagnosisOptions& options, const std::string& what) {
  const bool unfit =
      options.traces.paths.size() != 1 || !options.before.empty() || !options.checkpoint.empty();
  if (unfit)
    throw base::Error(
        {options.traces.paths.front()},
        "is " + what + ": it is judged alone",
        "leave --before and --checkpoint out and name one file");
  return options.traces.paths.front();
}

// Diagnoses a report of perf c2c, whose lines are already summed over the run.
Diagnosis diagnose_c2c(const MemoryDiagnosisOptions& options) {
  C2cDiagnosisOptions c2c;
  c2c.report = one_summary(options, "a report of perf c2c");
  c2c.programs = options.programs;
  c2c.maps = options.maps;
  c2c.strict = options.strict;
  c2c.least_share = options.mine.least_loss;
  return diagnose_c2c_report(c2c);
}

}  // namespace

bool is_gpu_memory(const std::string& path) {
  base::InputStream in(path);
  std::string head(size_t{1} << 16, '\0');
  head.resize(in.read(head));
  return is_gpu_counters(head) || is_gpu_accesses(head);
}

// Diagnoses a trace, a report of perf c2c or a profile of GPU kernels, by the format of the first file.
MemoryDiagnosis diagnose_memory(const MemoryDiagnosisOptions& options) {
  for (const auto& paths : {options.traces.paths, options.before})
    require_files(paths, "store the trace in a file; it is read more than once");
  if (is_gpu_memory(options.traces.paths.front()))
    return {diagnose_gpu_memory(one_summary(options, "a profile of GPU kernels"), options.strict), {}, {}};
  if (is_c2c(options))
    return {diagnose_c2c(options), {}, {}};
  ContentionOptions mine = options.mine;
  mine.checkpoint = options.checkpoint;
  if (!mine.checkpoint.empty())
    mine.checkpoint_key = pass_key(options);
  Run run(options, options.traces.paths);
  ContentionResult result = run.diagnose(mine);
  if (!options.platform.empty() && !result.objects.empty())
    run.predict(options.platform, result);
  if (!mine.checkpoint.empty() && !mine.progress.stopped()) {
    std::error_code gone;
    std::filesystem::remove(mine.checkpoint, gone);
  }
  Diagnosis& diagnosis = result.diagnosis;
  list_options(options, diagnosis);
  add_inputs(options, diagnosis);
  if (!options.before.empty()) {
    mine.checkpoint.clear();
    const Diagnosis before = Run(options, options.before).diagnose(mine).diagnosis;
    for (finding::Figure& figure : finding::compare(before, diagnosis).figures)
      diagnosis.figures.push_back(std::move(figure));
  }
  return {std::move(diagnosis), std::move(result.objects), std::move(result.folded)};
}

CpuSet parse_cpus(const std::string& text, const std::string& place) {
  constexpr int64_t kMost = AccessRecord::kNoCpu - 1;
  CpuSet set;
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, comma - at);
    const size_t dash = part.find('-');
    const int64_t first = base::parse_int(part.substr(0, dash), {place}, 0, kMost);
    const int64_t last =
        dash == std::string::npos ? first : base::parse_int(part.substr(dash + 1), {place}, first, kMost);
    for (int64_t c = first; c <= last; ++c)
      set.add(uint32_t(c));
    at = comma + 1;
  }
  return set;
}

}  // namespace lento::memory
