#include "jobs/memory_recording.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/units.h"
#include "embedded/record_runtime.h"
#include "memory/record/recording.h"
#include "trace/access_file.h"

extern char** environ;

namespace lento::jobs {
namespace {

// Removes the recording, which may be large, however the job ends.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path)
      : path_(std::move(path)) {
  }
  ~TemporaryFile() {
    std::error_code gone;
    std::filesystem::remove(path_, gone);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const {
    return path_;
  }

 private:
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
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Where the program called for the block: file, line and function.
std::string site_of(const trace::AddressSpace& names, uint64_t pc) {
  const std::vector<trace::SourceFrame> frames = names.frames(0, pc - 1);
  if (!frames.empty())
    return frames[0].file.substr(frames[0].file.rfind('/') + 1) + ":" + std::to_string(frames[0].line) +
           " in " + frames[0].function;
  const trace::Symbol* function = names.function_at(0, pc - 1);
  return function ? function->name : base::hex(pc);
}

void name_blocks(const memory::VirtualRun& run, trace::TraceFacts& facts) {
  for (const auto& block : run.blocks)
    facts.names.add_data(
        {0,
         block.low,
         block.low + block.bytes,
         "heap block of " + std::to_string(block.bytes) + " bytes",
         site_of(facts.names, block.pc)});
}

// What a new layout of the accused object would bring: false sharing ends with padding, the others with a
// copy for each thread.
void predict_gain(
    const memory::Recording& recording,
    uint32_t line_bytes,
    uint64_t cycles,
    const memory::FoundObject& object,
    finding::Finding& f) {
  using Kind = memory::Relayout::Kind;
  const bool pad = object.cause == "false sharing";
  const std::vector<memory::Relayout> layout = {{pad ? Kind::Pad : Kind::Private, object.low, object.high}};
  const memory::VirtualRun after = memory::replay_recording(recording, line_bytes, layout, nullptr);
  if (after.cycles == 0)
    return;
  f.factor = double(cycles) / double(after.cycles);
  f.evidence.push_back(
      {pad ? "predicted speed-up with its parts on lines of their own"
           : "predicted speed-up with a copy for each thread (an upper bound)",
       *f.factor,
       "x",
       "replay with the data moved"});
}

MemoryDiagnosisOptions diagnosis_of(const MemoryRecordingOptions& options) {
  MemoryDiagnosisOptions o;
  o.traces.paths = {options.output};
  o.mine = options.mine;
  return o;
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

MemoryRecording record_memory(const MemoryRecordingOptions& options) {
  constexpr size_t kPredicted = 3;  // findings; each is a replay
  if (options.command.empty())
    throw base::Error({}, "no program to record", "write: lento memory record -- ./program");
  const TemporaryFile raw(options.output + ".recording");
  memory::Recording::prepare(raw.path(), options.bytes, options.burst_on_us, options.burst_off_us);
  MemoryRecording out;
  out.exit_code = run_program(options.command, raw.path());
  const memory::Recording recording(raw.path());
  if (recording.events() == 0)
    throw base::Error(
        {options.command[0]},
        "recorded nothing",
        "build it with the recorder: lento memory record --runtime recorder.c, then "
        "cc -g -fsanitize=thread -c program.c; cc -O2 -c recorder.c; "
        "cc program.o recorder.o -ldl -pthread");
  trace::TraceFacts facts;
  facts.names.read_maps(recording.maps(), 0);
  facts.names.identify_mappings();
  facts.line_bytes = options.line_bytes > 0 ? options.line_bytes : recording.line_bytes();
  trace::AccessFileWriter writer(options.output);
  const memory::VirtualRun run =
      memory::replay_recording(recording, facts.line_bytes, {}, &writer, options.mine.progress);
  name_blocks(run, facts);
  writer.set_facts(facts);
  writer.finish();

  const MemoryDiagnosisOptions how = diagnosis_of(options);
  MemoryDiagnosis judged = diagnose_memory(how);
  finding::Diagnosis& d = judged.diagnosis;
  for (size_t i = 0; i < std::min({kPredicted, d.findings.size(), judged.objects.size()}); ++i) {
    for (const memory::FoundObject& object : judged.objects) {
      if (object.subject == d.findings[i].subject)
        predict_gain(recording, facts.line_bytes, run.cycles, object, d.findings[i]);
    }
  }
  d.title = "Memory contention of " + join(options.command);
  d.facts.emplace_back("threads", std::to_string(run.threads));
  d.facts.emplace_back(
      "recorded",
      std::to_string(recording.events()) + " events, " +
          (recording.in_bursts() ? "in bursts" : "every access"));
  d.facts.emplace_back("cycles in virtual time", std::to_string(run.cycles));
  d.notes.push_back(
      "threads run side by side in virtual time, on cores of their own with caches that hold everything: "
      "cycles are "
      "the model's (docs/methods/memory_record.md)");
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
  std::string format(embedded::record_runtime("record_format.h"));
  std::string runtime(embedded::record_runtime("runtime.c"));
  const std::string include = "#include \"memory/record/record_format.h\"\n";
  const size_t at = runtime.find(include);
  LENTO_CHECK(at != std::string::npos, "the recorder's runtime does not include its format");
  return runtime.replace(at, include.size(), format);
}

}  // namespace lento::jobs
