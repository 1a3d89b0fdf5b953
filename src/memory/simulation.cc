// Runs a guest program on the simulated multiprocessor, writes its access trace in up to three forms, and
// describes what each hart did.
#include "memory/simulation.h"

#include <filesystem>
#include <iomanip>
#include <memory>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "finding/inputs.h"
#include "memory/platform/platform.h"
#include "memory/read/access_file.h"
#include "memory/read/access_text.h"

namespace lento::memory {
namespace {

using finding::Diagnosis;

constexpr uint64_t kMostGuest = uint64_t{256} << 20;  // bytes of a program
constexpr uint64_t kMostDisk = uint64_t{64} << 20;    // bytes of the block device

// Writes frames as PNM files into a folder: frame0000.pgm, frame0001.ppm, ...
class FrameWriter {
 public:
  explicit FrameWriter(const std::string& folder)
      : folder_(folder) {
    if (folder_.empty())
      return;
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error)
      throw base::Error({folder_}, "cannot make the folder: " + error.message());
  }
  void take(const Frame& frame) {
    if (!folder_.empty()) {
      std::ostringstream name;
      name << folder_ << "/frame" << std::setw(4) << std::setfill('0') << count_
           << (frame.bytes_per_pixel == 1 ? ".pgm" : ".ppm");
      base::write_file(
          name.str(),
          (frame.bytes_per_pixel == 1 ? "P5\n" : "P6\n") + std::to_string(frame.width) + " " +
              std::to_string(frame.height) + "\n255\n" + frame.pixels);
    }
    ++count_;
    digest_ = base::digest(digest_ + frame.pixels);
  }
  int count() const {
    return count_;
  }
  const std::string& digest() const {
    return digest_;
  }

 private:
  std::string folder_;
  std::string digest_;
  int count_ = 0;
};

// Passes every record to several sinks.
class Tee : public AccessSink {
 public:
  void add(AccessSink* sink) {
    sinks_.push_back(sink);
  }
  bool empty() const {
    return sinks_.empty();
  }
  void record(const AccessRecord& record) override {
    for (AccessSink* sink : sinks_)
      sink->record(record);
  }
  void advance(uint64_t cycle) override {
    for (AccessSink* sink : sinks_)
      sink->advance(cycle);
  }

 private:
  std::vector<AccessSink*> sinks_;
};

// The outputs of the run: a binary trace, a text trace, the paper's text.
class Recorder {
 public:
  explicit Recorder(const MemorySimulationOptions& options) {
    if (!options.trace.empty())
      tee_.add((file_ = std::make_unique<AccessFileWriter>(options.trace)).get());
    if (!options.text.empty()) {
      text_ = std::make_unique<AccessTextWriter>(options.text, TextForm::Full);
      tee_.add(text_.get());
    }
    if (!options.paper.empty()) {
      paper_ = std::make_unique<AccessTextWriter>(options.paper, TextForm::Paper);
      tee_.add(paper_.get());
    }
  }
  // Returns null when no output was requested.
  AccessSink* sink() {
    if (tee_.empty())
      return nullptr;
    return &tee_;
  }
  // Closes all trace files.
  void finish(const program::TraceFacts& facts) {
    if (file_) {
      file_->set_facts(facts);
      file_->finish();
    }
    if (text_)
      text_->finish();
    if (paper_)
      paper_->finish();
  }
  void describe(Diagnosis& d) const {
    if (!file_)
      return;
    const double each = double(file_->bytes()) / std::max<double>(1, double(file_->events()));
    d.facts.emplace_back(
        "trace",
        std::to_string(file_->events()) + " events, " + base::format_number(each, 3) + " bytes an event");
  }

 private:
  Tee tee_;
  std::unique_ptr<AccessFileWriter> file_;
  std::unique_ptr<AccessTextWriter> text_;
  std::unique_ptr<AccessTextWriter> paper_;
};

const char* ending_text(Ending ending) {
  switch (ending) {
    case Ending::Exit:
      return "the program exited";
    case Ending::CycleLimit:
      return "stopped at --max-cycles";
    case Ending::Deadlock:
      return "all harts wait for an interrupt that cannot come";
    case Ending::Stopped:
      return "interrupted";
  }
  return "";
}

std::string number(uint64_t value) {
  return std::to_string(value);
}

// Returns instructions, stalled cycles and misses of each hart as a table.
finding::Figure harts_table(const RunResult& run) {
  finding::TableFigure table;
  table.columns = {
      "hart",
      "instructions",
      "stalled cycles",
      "fetch misses",
      "loads",
      "load misses",
      "of them coherence",
      "stores",
      "stalled stores",
      "atomics"};
  for (size_t i = 0; i < run.harts.size(); ++i) {
    const auto& h = run.harts[i];
    table.rows.push_back(
        {number(i),
         number(h.instructions),
         number(h.stalled),
         number(h.ifetch_misses),
         number(h.loads),
         number(h.load_misses),
         number(h.coherence_misses),
         number(h.stores),
         number(h.store_stalls),
         number(h.atomics)});
  }
  return {"Harts", "What each hart did and how long it waited for memory.", table};
}

// Returns the cycles that each hart waited for each other hart.
finding::Figure blame_figure(const RunResult& run) {
  finding::HeatMapFigure map;
  map.x_name = "culprit";
  map.value_name = "cycles waited";
  for (size_t i = 0; i < run.harts.size(); ++i) {
    map.rows.push_back("hart" + std::to_string(i));
    map.columns.push_back(double(i));
  }
  for (const uint64_t cycles : run.blame)
    map.values.push_back(double(cycles));
  return {
      "Who delays whom",
      "Row: the hart that waited. Column: the hart whose transactions it waited for.",
      map};
}

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// Describes a finished simulation.
Diagnosis describe(const std::string& guest, const Platform& platform, const RunResult& run) {
  Diagnosis d;
  d.scale = "memory";
  d.title = "Simulation of " + name_of(guest) + " on " + number(uint64_t(platform.harts)) + " harts";
  d.verdict = std::string(ending_text(run.ending)) + " after " + number(run.cycles) + " cycles";
  d.facts = {
      {"exit code", number(run.exit_code)},
      {"cycles", number(run.cycles)},
      {"instructions", number(run.instructions)}};
  const double capacity = double(run.cycles) * run.channels;
  if (capacity > 0)
    d.facts.emplace_back(
        "interconnect busy",
        base::format_number(100 * double(run.interconnect_busy) / capacity, 3) + " %");
  d.figures = {harts_table(run), blame_figure(run)};
  return d;
}

Platform platform_of(const MemorySimulationOptions& options) {
  Platform platform;
  if (!options.platform.empty())
    platform = read_platform(options.platform);
  if (options.harts > 0)
    platform.harts = options.harts;
  return platform;
}

RunOptions run_options(const MemorySimulationOptions& options) {
  RunOptions run;
  run.seed = options.seed;
  run.arguments = options.arguments;
  run.progress = options.progress;
  run.console = options.console;
  if (options.max_cycles > 0)
    run.max_cycles = options.max_cycles;
  if (!options.disk.empty())
    run.disk = base::read_file(options.disk, kMostDisk);
  return run;
}

void add_inputs(const MemorySimulationOptions& options, Diagnosis& d) {
  if (!options.platform.empty() && options.platform != "-")
    d.inputs.push_back(finding::input_of("platform", options.platform));
  if (!options.disk.empty())
    d.inputs.push_back(finding::input_of("disk", options.disk));
  d.inputs.push_back(finding::input_of("guest", options.guest));
}

}  // namespace

Diagnosis simulate_memory(const MemorySimulationOptions& options) {
  const Platform platform = platform_of(options);
  RunOptions how = run_options(options);
  FrameWriter frames(options.frames);
  how.frame = [&](const Frame& frame) {
    frames.take(frame);
  };
  Recorder recorder(options);
  how.sink = recorder.sink();
  const std::string elf = base::read_file(options.guest, kMostGuest);
  const RunResult run = simulate(riscv::parse_elf(elf, options.guest), platform, how);
  // The first part of a trace cannot be distinguished from a whole one, so an interrupted run leaves no file.
  if (how.sink && options.progress.stopped())
    throw base::Error(
        {options.guest},
        "interrupted after " + std::to_string(run.cycles) + " cycles; the trace was not written");
  program::TraceFacts facts;
  facts.line_bytes = uint32_t(platform.dcache.line_bytes);
  facts.programs.emplace_back(base::digest(elf), name_of(options.guest));
  recorder.finish(facts);

  Diagnosis d = describe(options.guest, platform, run);
  add_inputs(options, d);
  d.seed = options.seed;
  if (frames.count() > 0)
    d.facts.emplace_back("frames", number(uint64_t(frames.count())) + ", digest " + frames.digest());
  recorder.describe(d);
  return d;
}

}  // namespace lento::memory
