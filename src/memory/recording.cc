// Runs a program that was built with the recorder, replays its recording in virtual time into an access
// trace, diagnoses that trace, and predicts the gain of a fix for the first findings. The raw recording is in
// memory when it fits a quarter of what is free, else in a file beside the trace that is always removed.
#include "memory/recording.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/units.h"
#include "embedded/record_runtime.h"
#include "memory/gain.h"
#include "memory/layout.h"
#include "memory/read/access_file.h"
#include "memory/record/recording.h"

extern char** environ;

namespace lento::memory {
namespace {

// The file that the program writes to: in memory, which is twice as fast and vanishes with its last user, or
// beside the trace and removed however the job ends.
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

int run_program(const std::vector<std::string>& command, const std::string& recording) {
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
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environment.data());
  if (error != 0)
    throw base::Error({command[0]}, std::string("cannot be started: ") + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  return 128 + WTERMSIG(status);
}

// Returns the place of the call that allocated the block: file, line and function.
std::string site_of(const program::AddressSpace& names, uint64_t pc) {
  const std::vector<program::SourceFrame> frames = names.frames(0, pc - 1);
  if (!frames.empty())
    return frames[0].file.substr(frames[0].file.rfind('/') + 1) + ":" + std::to_string(frames[0].line) +
           " in " + frames[0].function;
  const program::Symbol* function = names.function_at(0, pc - 1);
  if (function)
    return function->name;
  return base::hex(pc);
}

void name_blocks(const VirtualRun& run, program::TraceFacts& facts) {
  for (const auto& block : run.blocks)
    facts.names.add_data(
        {0,
         block.low,
         block.low + block.bytes,
         "heap block of " + std::to_string(block.bytes) + " bytes",
         site_of(facts.names, block.pc)});
}

// Adds a proposed fix and its predicted gain to a finding.
void propose_fix(
    const GainPredictor& predictor,
    const program::AddressSpace& names,
    uint32_t line_bytes,
    const FoundObject& object,
    finding::Finding& f) {
  constexpr double kWorthIt = 1.01;  // less is what other waits of the replay come to
  const bool pad = object.cause == "false sharing";
  const std::optional<Gain> gain = predictor.of(object);
  if (gain) {
    f.factor = gain->usual;
    const std::string range = base::format_number(gain->low, 3) + " to " +
                              base::format_number(gain->high, 3) +
                              " on machines where a line takes 30 to 120 cycles";
    f.evidence.push_back(
        {(pad ? "predicted speed-up with its parts on lines of their own, "
              : "predicted speed-up with a copy for each thread (an upper bound), ") +
             range,
         gain->usual,
         "x",
         "replay with the data moved"});
  }
  if (!pad)
    return;
  if (gain && gain->usual < kWorthIt) {
    f.next_step = "lines of their own would bring nothing by the replay: hand the data on less often";
    return;
  }
  const LayoutChange change = propose_layout(names, object, line_bytes);
  if (!change.what.empty())
    f.next_step = change.what;
  if (!change.diff.empty())
    f.evidence.push_back({"proposed change:\n" + change.diff, {}, "", "debug information and source"});
}

void propose_fixes(const Recording& recording, const program::TraceFacts& facts, MemoryDiagnosis& judged) {
  constexpr size_t kPredicted = 3;  // findings; each is three replays
  const GainPredictor predictor(recording, facts.line_bytes);
  auto& findings = judged.diagnosis.findings;
  for (size_t i = 0; i < std::min(kPredicted, findings.size()); ++i) {
    for (const FoundObject& object : judged.objects) {
      if (object.subject == findings[i].subject && object.cause == findings[i].category)
        propose_fix(predictor, facts.names, facts.line_bytes, object, findings[i]);
    }
  }
}

MemoryDiagnosisOptions diagnosis_of(const MemoryRecordingOptions& options) {
  MemoryDiagnosisOptions o;
  o.traces.paths = {options.output};
  o.mine = options.mine;
  return o;
}

CoreModel core_of(const MemoryRecordingOptions& options, uint32_t line_bytes) {
  CoreModel core;
  core.nodes = options.nodes;
  core.memory_line = uint64_t(std::max(1.0, std::round(line_bytes / options.bandwidth)));
  return core;
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

MemoryRecording record_memory(const MemoryRecordingOptions& options) {
  if (options.command.empty())
    throw base::Error({}, "no program to record", "write: lento memory record -- ./program");
  const RawFile raw(options.bytes, options.output + ".recording");
  Recording::prepare(raw.path(), options.bytes, options.burst_on_us, options.burst_off_us);
  MemoryRecording out;
  out.exit_code = run_program(options.command, raw.path());
  const Recording recording(raw.path());
  if (recording.events() == 0)
    throw base::Error(
        {options.command[0]},
        "recorded nothing",
        "build it with the recorder: lento memory record --runtime recorder.c, then "
        "cc -g -fsanitize=thread -c program.c; cc -O2 -c recorder.c; "
        "cc program.o recorder.o -ldl -pthread");
  program::TraceFacts facts;
  facts.names.read_maps(recording.maps(), 0);
  facts.names.identify_mappings();
  facts.line_bytes = options.line_bytes > 0 ? options.line_bytes : recording.line_bytes();
  AccessFileWriter writer(options.output);
  const VirtualRun run = replay_recording(
      recording,
      facts.line_bytes,
      {},
      &writer,
      options.mine.progress,
      core_of(options, facts.line_bytes));
  name_blocks(run, facts);
  writer.set_facts(facts);
  writer.finish();

  const MemoryDiagnosisOptions how = diagnosis_of(options);
  MemoryDiagnosis judged = diagnose_memory(how);
  finding::Diagnosis& d = judged.diagnosis;
  if (!judged.objects.empty())
    propose_fixes(recording, facts, judged);
  d.title = "Memory contention of " + join(options.command);
  d.facts.emplace_back("threads", std::to_string(run.threads));
  d.facts.emplace_back(
      "recorded",
      std::to_string(recording.events()) + " events, " +
          (recording.in_bursts() ? "in bursts" : "every access"));
  d.facts.emplace_back("cycles in virtual time", std::to_string(run.cycles));
  d.notes.push_back(
      "threads run side by side in virtual time, each on a core with caches of its own of 32 KiB and 1 MiB, "
      "and a memory of " +
      base::format_number(options.bandwidth) + " bytes a cycle" +
      (options.nodes > 1 ? " on each of " + std::to_string(options.nodes) + " nodes" : std::string()) +
      ": cycles are the model's (docs/methods/memory_record.md)");
  if (recording.full())
    d.notes.push_back(
        "the recording ended at its limit of " + std::to_string(options.bytes >> 20) +
        " MiB: what came later was not seen");
  if (out.exit_code != 0)
    d.notes.push_back("the program ended with " + std::to_string(out.exit_code));
  out.diagnosis = std::move(d);
  return out;
}

std::string recorder_runtime() {
  std::string runtime(embedded::record_runtime("runtime.c"));
  for (const std::string& part : {std::string("record_format.h"), std::string("runtime_meetings.inc")}) {
    const std::string include = "#include \"memory/record/" + part + "\"\n";
    const size_t at = runtime.find(include);
    LENTO_CHECK(at != std::string::npos, "the recorder's runtime does not include its parts");
    runtime.replace(at, include.size(), embedded::record_runtime(part));
  }
  return runtime;
}

}  // namespace lento::memory
