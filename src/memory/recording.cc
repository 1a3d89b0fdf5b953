// Runs a program that was built with the recorder, replays its recording in virtual time into an access
// trace, diagnoses that trace, and predicts the gain of a fix for the first findings. The raw recording is in
// memory when it fits a quarter of what is free, else in a file beside the trace that is always removed.
#include "memory/recording.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/units.h"
#include "embedded/record_runtime.h"
#include "memory/core_platform.h"
#include "memory/coverage.h"
#include "memory/gain.h"
#include "memory/layout.h"
#include "memory/mine/sharing.h"
#include "memory/read/access_file.h"
#include "memory/record/recording.h"
#include "memory/repeat.h"

extern char** environ;

namespace lento::memory {
namespace {

// The file that the program writes to: in memory, which is twice as fast and freed with its last user, or
// beside the trace, where the destructor removes it.
class RawFile {
 public:
  RawFile(uint64_t bytes, const std::string& beside) {
    if (bytes <= available_memory() / 4)
      memory_ = ::memfd_create("lento recording", MFD_CLOEXEC);
    // The program opens it under this name.
    path_ = memory_ >= 0 ? "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(memory_) : beside;
  }
  ~RawFile() {
    std::error_code gone;
    if (memory_ >= 0)
      ::close(memory_);
    else
      std::filesystem::remove(path_, gone);
  }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  const std::string& path() const {
    return path_;
  }

 private:
  static uint64_t available_memory() {
    const long pages = ::sysconf(_SC_AVPHYS_PAGES);
    if (pages > 0)
      return uint64_t(pages) * uint64_t(::sysconf(_SC_PAGESIZE));
    return 0;
  }

  int memory_ = -1;
  std::string path_;
};

// Starts the command, with its standard output sent to standard error if asked. Returns 0 or an errno value.
int spawn(pid_t& child, char** arguments, char** environment, bool output_to_stderr) {
  posix_spawn_file_actions_t actions;
  if (const int error = posix_spawn_file_actions_init(&actions); error != 0)
    return error;
  int error = output_to_stderr ? posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO) : 0;
  if (error == 0)
    error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Runs the command with LENTO_RECORD set. Returns its exit code, or 128 + signal when a signal ended it.
int run_program(
    const std::vector<std::string>& command,
    const std::string& recording,
    bool output_to_stderr) {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  for (const std::string& word : command)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::string variable = "LENTO_RECORD=" + recording;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "LENTO_RECORD=", 13) != 0)
      environment.push_back(*entry);
  }
  environment.push_back(const_cast<char*>(variable.c_str()));
  environment.push_back(nullptr);
  // Turns address randomisation off where the system allows it, so that addresses repeat from run to run.
  constexpr unsigned long kAsk = 0xffffffff;
  const int usual = ::personality(kAsk);
  if (usual >= 0)
    ::personality(unsigned(usual) | ADDR_NO_RANDOMIZE);
  pid_t child = 0;
  const int error = spawn(child, arguments.data(), environment.data(), output_to_stderr);
  if (usual >= 0)
    ::personality(unsigned(usual));
  if (error != 0)
    throw base::Error({command[0]}, std::string("cannot be started: ") + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  return 128 + WTERMSIG(status);
}

bool is_library(const std::string& file) {
  return file.starts_with("/usr/") || file.find("/include/c++/") != std::string::npos;
}

std::string place_of(const program::SourceFrame& frame) {
  return frame.file.substr(frame.file.rfind('/') + 1) + ":" + std::to_string(frame.line) + " in " +
         frame.function;
}

// Returns the place that allocated the block: the innermost line of the program's own source, since a
// container's line is the same for all its users. Without one it is the innermost line that is known, else
// the calling function or its address.
std::string site_of(const program::AddressSpace& names, const VirtualRun::Block& block) {
  std::string nearest;
  for (const uint64_t pc : {block.pc, block.callers[0], block.callers[1]}) {
    if (pc == 0)
      continue;
    for (const program::SourceFrame& frame : names.frames(0, pc - 1)) {
      if (nearest.empty())
        nearest = place_of(frame);
      if (!is_library(frame.file))
        return place_of(frame);
    }
  }
  const program::Symbol* function = names.function_at(0, block.pc - 1);
  if (!nearest.empty())
    return nearest;
  return function ? function->name : base::hex(block.pc);
}

// Names heap blocks by size and allocation site.
void name_blocks(const VirtualRun& run, program::TraceFacts& facts) {
  for (const auto& block : run.blocks)
    facts.names.add_data(
        {0,
         block.low,
         block.low + block.bytes,
         "heap block of " + std::to_string(block.bytes) + " bytes",
         site_of(facts.names, block)});
}

using Kind = Relayout::Kind;

struct Fix {
  Kind kind = Kind::Pad;
  Gain gain;
  // Returns whether the fix gains the share `least` of the time, as a finding must cost.
  bool helps(double least) const {
    return gain.low * (1 - least) > 1;
  }
};

// Returns the fixes that may remove a cause, the usual one first. There are two for sharing, because a line
// may have true and false sharing at once.
std::vector<Kind> fixes_of(const std::string& cause) {
  static const std::map<std::string, std::vector<Kind>> kFixes = {
      {"false sharing", {Kind::Pad, Kind::Private}},
      {"true sharing", {Kind::Private, Kind::Pad}},
      {"lock", {Kind::Private, Kind::Pad}},
      {"remote memory", {Kind::Local}},
      {"address translation", {Kind::Huge}},
      {"capacity", {Kind::Second}},
      {"set conflict", {Kind::Fits}}};
  const auto at = kFixes.find(cause);
  return at == kFixes.end() ? std::vector<Kind>{} : at->second;
}

// Predicts the gain of the first fix that helps, else of the usual one. Where one side mostly waits for the
// other, padding may shorten the waits.
std::optional<Fix> find_fix(GainPredictor& predictor, const FoundObject& object, double least) {
  std::optional<Fix> usual;
  if (object.polled && object.cause == name(Cause::FalseSharing)) {
    const std::optional<Gain> gain = predictor.of(object, Kind::Pad, false);
    if (gain && Fix{Kind::Pad, *gain}.helps(least))
      return Fix{Kind::Pad, *gain};
  }
  for (const Kind kind : fixes_of(object.cause)) {
    const std::optional<Gain> gain = predictor.of(object, kind);
    if (!gain)
      return {};
    if (Fix{kind, *gain}.helps(least))
      return Fix{kind, *gain};
    if (!usual)
      usual = Fix{kind, *gain};
  }
  return usual;
}

// Describes a change of the data layout.
const char* text_of(Kind kind) {
  switch (kind) {
    case Kind::Pad:
      return "its parts on lines of their own";
    case Kind::Private:
      return "a copy for each thread (an upper bound)";
    case Kind::Local:
      return "each page on the node that uses it (of the threads' time, an upper bound)";
    case Kind::Huge:
      return "huge pages";
    case Kind::Second:
      return "lines that stay in the second cache (an upper bound)";
    case Kind::Fits:
      return "lines that stay in the cache (an upper bound)";
  }
  return "";
}

std::string text_of(const Gain& gain) {
  return base::format_number(gain.low, 3) + " to " + base::format_number(gain.high, 3);
}

// Adds a fix and its predicted gain to a finding.
void propose_fix(
    const Fix& fix,
    const program::TraceFacts& facts,
    const FoundObject& object,
    finding::Finding& f) {
  f.factor = fix.gain.usual;
  f.factor_of = std::string("slower than with ") + text_of(fix.kind);
  f.evidence.push_back(
      {std::string("predicted speed-up with ") + text_of(fix.kind) + ", " + text_of(fix.gain) +
           " where transfers take half to twice the time, and memory four fifths to five fourths",
       fix.gain.usual,
       "x",
       "replay with the data moved"});
  if (fix.kind == Kind::Private && object.cause == name(Cause::FalseSharing)) {
    f.category = name(Cause::TrueSharing);
    f.summary.replace(0, object.cause.size(), f.category);
    f.next_step = next_step(Cause::TrueSharing);
  }
  if (fix.kind != Kind::Pad)
    return;
  if (object.cause != "false sharing")
    f.next_step =
        "give its words lines of their own: threads fight over one of them, and others lie beside it";
  const LayoutChange change = propose_layout(facts.names, object, facts.line_bytes);
  if (!change.what.empty())
    f.next_step = change.what;
  if (!change.diff.empty())
    f.evidence.push_back({"proposed change:\n" + change.diff, {}, "", "debug information and source"});
}

// Rewrites the verdict when findings were removed or have another cause than the detector gave (`changed`).
void conclude(finding::Diagnosis& d, bool changed) {
  if (!changed)
    return;
  double lost = 0;
  for (const finding::Finding& f : d.findings)
    lost += f.lost_share.value_or(0);
  if (d.findings.empty())
    d.verdict = "Nothing to gain: no other layout of what costs time here would be faster, by the replay.";
  else
    d.verdict = d.findings.front().category + " on " + d.findings.front().subject + " leads; " +
                base::percent(lost) + " of CPU time is lost to what was found.";
  finding::judged(d, d.covered);
}

// Predicts a fix for the first findings on shared data. A finding whose fix gains nothing becomes a note.
void propose_fixes(
    const Recording& recording,
    const program::TraceFacts& facts,
    const CoreModel& machine,
    double least,
    MemoryDiagnosis& judged) {
  constexpr size_t kPredicted = 6;  // findings; each is three to six replays
  GainPredictor predictor(recording, facts.line_bytes, machine);
  finding::Diagnosis& d = judged.diagnosis;
  std::vector<finding::Finding> kept;
  size_t predicted = 0;
  bool changed = false;
  for (finding::Finding& f : d.findings) {
    const auto object = std::ranges::find_if(judged.objects, [&](const FoundObject& o) {
      return o.subject == f.subject && o.cause == f.category;
    });
    std::optional<Fix> fix;
    if (object != judged.objects.end() && predicted++ < kPredicted)
      fix = find_fix(predictor, *object, least);
    if (fix && !fix->helps(least)) {
      d.notes.push_back(
          f.category + " on " + f.subject + " takes " + base::percent(f.lost_share.value_or(0)) +
          " of CPU time, and is no finding: another layout is predicted to gain " + text_of(fix->gain) +
          " times");
      continue;
    }
    if (fix)
      propose_fix(*fix, facts, *object, f);
    changed |= fix && f.category != object->cause;
    kept.push_back(std::move(f));
  }
  changed |= kept.size() != d.findings.size();
  d.findings = std::move(kept);
  conclude(d, changed);
}

// Returns how much of the program's work the recording covers.
Coverage coverage_of(const Recording& recording) {
  Coverage c;
  c.stored = recording.stored();
  c.reported = recording.reported();
  c.seen_us = recording.seen_us();
  c.worked_us = recording.worked_us();
  c.unordered = recording.unordered();
  c.in_bursts = recording.in_bursts();
  c.is_static = recording.is_static();
  return c;
}

MemoryDiagnosisOptions diagnosis_of(const MemoryRecordingOptions& options) {
  MemoryDiagnosisOptions o;
  o.traces.paths = {options.output};
  o.mine = options.mine;
  return o;
}

CorePlatform machine_of(const MemoryRecordingOptions& options, uint32_t line_bytes) {
  CorePlatform machine = options.platform.empty() ? usual_platform() : read_core_platform(options.platform);
  machine.core.nodes = options.nodes;
  if (options.bandwidth > 0)
    machine.core.memory_line = uint64_t(std::max(1.0, std::round(line_bytes / options.bandwidth)));
  return machine;
}

// Describes the simulated machine in a sentence.
std::string text_of(const CorePlatform& machine) {
  const CoreModel& c = machine.core;
  const auto size = [](const TagShape& shape) {
    return std::to_string(shape.bytes / 1024) + " KiB";
  };
  return "threads run side by side in virtual time, each on a core of the platform '" + machine.name +
         "' with caches of " + size(c.first) + ", " + size(c.second) + " and, for a node, " + size(c.third) +
         (c.nodes > 1 ? ", on " + std::to_string(c.nodes) + " nodes" : std::string()) +
         ": cycles are the model's (docs/methods/memory_record.md)";
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

static MemoryRecording record_once(const MemoryRecordingOptions& options) {
  if (options.command.empty())
    throw base::Error({}, "no program to record", "write: lento memory record -- ./program");
  if (!options.platform.empty())
    read_core_platform(options.platform);  // a mistake in it shows before the program runs
  const RawFile raw(options.bytes, options.output + ".recording");
  Recording::prepare(raw.path(), options.bytes, options.burst_on_us, options.burst_off_us);
  MemoryRecording out;
  out.exit_code = run_program(options.command, raw.path(), options.output_to_stderr);
  const Recording recording(raw.path());
  if (recording.events() == 0)
    throw base::Error(
        {options.command[0]},
        "recorded nothing",
        "build it with the recorder: lento memory record --runtime recorder.c, then "
        "cc -g -fsanitize=thread -fno-ipa-reference-addressable -c program.c; cc -O2 -c recorder.c; "
        "cc program.o recorder.o -ldl -pthread");
  program::TraceFacts facts;
  facts.names.read_maps(recording.maps(), 0);
  facts.names.identify_mappings();
  facts.line_bytes = options.line_bytes > 0 ? options.line_bytes : recording.line_bytes();
  const CorePlatform machine = machine_of(options, facts.line_bytes);
  AccessFileWriter writer(options.output);
  const VirtualRun run =
      replay_recording(recording, facts.line_bytes, {}, &writer, options.mine.progress, machine.core);
  name_blocks(run, facts);
  writer.set_facts(facts);
  writer.finish();

  const MemoryDiagnosisOptions how = diagnosis_of(options);
  MemoryDiagnosis judged = diagnose_memory(how);
  finding::Diagnosis& d = judged.diagnosis;
  if (!judged.objects.empty())
    propose_fixes(recording, facts, machine.core, options.mine.least_loss, judged);
  d.title = "Memory contention of " + join(options.command);
  d.facts.emplace_back("threads", std::to_string(run.threads));
  d.facts.emplace_back(
      "recorded",
      std::to_string(recording.events()) + " events, " +
          (recording.in_bursts() ? "in bursts" : "every access"));
  d.facts.emplace_back("cycles in virtual time", std::to_string(run.cycles));
  d.notes.push_back(text_of(machine));
  if (recording.full())
    d.notes.push_back(
        "the recording ended at its limit of " + std::to_string(options.bytes >> 20) +
        " MiB: what came later was not seen");
  add_coverage(coverage_of(recording), options.mine.least_loss, d);
  if (out.exit_code != 0)
    d.notes.push_back("the program ended with " + std::to_string(out.exit_code));
  out.diagnosis = std::move(d);
  return out;
}

MemoryRecording record_memory(const MemoryRecordingOptions& options) {
  std::vector<finding::Diagnosis> each;
  MemoryRecording out;
  for (unsigned i = 0; i == 0 || (i < options.repeat && !options.mine.progress.stopped()); ++i) {
    out = record_once(options);
    each.push_back(std::move(out.diagnosis));
  }
  out.diagnosis = combine(std::move(each));
  return out;
}

std::string recorder_runtime() {
  std::string runtime(embedded::record_runtime("runtime.c"));
  for (const std::string& part :
       {std::string("record_format.h"),
        std::string("runtime_meetings.inc"),
        std::string("runtime_locks.inc")}) {
    const std::string include = "#include \"memory/record/" + part + "\"\n";
    const size_t at = runtime.find(include);
    LENTO_CHECK(at != std::string::npos, "the recorder's runtime does not include its parts");
    runtime.replace(at, include.size(), embedded::record_runtime(part));
  }
  return runtime;
}

}  // namespace lento::memory
