// lento memory simulate GUEST.elf: runs a program on the multiprocessor, writes its access trace.
#include <filesystem>
#include <iomanip>
#include <ostream>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "front/context.h"
#include "jobs/tohost.h"
#include "memory/platform/platform.h"
#include "trace/access_file.h"
#include "trace/access_text.h"

namespace lento::cli {
namespace {

struct Arguments {
  std::string guest;
  std::string platform;
  std::string disk;
  std::string trace;
  std::string text;
  std::string paper;
  std::string frames;
  int harts = 0;
  std::vector<uint32_t> arguments;
  uint64_t max_cycles = 0;
  bool tohost = false;
};

// Conformance: a machine with flat RAM that ends by a store to tohost.
void run_tohost(const Arguments& args, Context& context) {
  riscv::Machine machine;
  const uint64_t limit = args.max_cycles ? args.max_cycles : UINT64_MAX;
  const auto word =
      jobs::run_to_tohost(machine, riscv::read_elf(args.guest), args.guest, limit, context.progress());
  if (!word)
    return;
  const uint32_t value = *word;
  context.streams.out << (value == 1 ? "pass" : "fail " + std::to_string(value >> 1)) << "\n";
  if (value != 1)
    context.result = 1;
}

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
  void take(const memory::Frame& frame) {
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

// Sends every record to several takers.
class Tee : public trace::AccessSink {
 public:
  void add(trace::AccessSink* sink) {
    sinks_.push_back(sink);
  }
  bool empty() const {
    return sinks_.empty();
  }
  void record(const trace::AccessRecord& record) override {
    for (trace::AccessSink* sink : sinks_)
      sink->record(record);
  }
  void advance(uint64_t cycle) override {
    for (trace::AccessSink* sink : sinks_)
      sink->advance(cycle);
  }

 private:
  std::vector<trace::AccessSink*> sinks_;
};

const char* ending_text(memory::Ending ending) {
  switch (ending) {
    case memory::Ending::Exit:
      return "the program exited";
    case memory::Ending::CycleLimit:
      return "stopped at --max-cycles";
    case memory::Ending::Deadlock:
      return "all harts wait for an interrupt that cannot come";
    case memory::Ending::Stopped:
      return "interrupted";
  }
  return "";
}

std::string number(uint64_t value) {
  return std::to_string(value);
}

finding::Figure harts_table(const memory::RunResult& run) {
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

finding::Figure blame_figure(const std::vector<uint64_t>& blame, size_t harts) {
  finding::HeatMapFigure map;
  map.x_name = "culprit", map.value_name = "cycles waited";
  for (size_t i = 0; i < harts; ++i)
    map.rows.push_back("hart" + std::to_string(i)), map.columns.push_back(double(i));
  for (const uint64_t cycles : blame)
    map.values.push_back(double(cycles));
  return {
      "Who delays whom",
      "Row: the hart that waited. Column: the hart whose transactions it waited for.",
      map};
}

finding::Diagnosis
describe(const Arguments& args, const memory::Platform& platform, const memory::RunResult& run) {
  finding::Diagnosis d;
  d.scale = "memory";
  d.title = "Simulation of " + std::filesystem::path(args.guest).filename().string() + " on " +
            number(uint64_t(platform.harts)) + " harts";
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
  d.figures = {harts_table(run), blame_figure(run.blame, run.harts.size())};
  return d;
}

void run_platform(const Arguments& args, Context& context) {
  memory::Platform platform;
  finding::Diagnosis inputs;
  if (!args.platform.empty()) {
    platform = memory::read_platform(args.platform);
    if (args.platform != "-")
      inputs.inputs.push_back(context.input("platform", args.platform, base::read_file(args.platform)));
  }
  if (args.harts > 0)
    platform.harts = args.harts;
  memory::RunOptions options;
  options.seed = context.seed;
  options.arguments = args.arguments;
  options.progress = context.progress();
  if (args.max_cycles)
    options.max_cycles = args.max_cycles;
  if (!args.disk.empty()) {
    options.disk = base::read_file(args.disk, uint64_t{64} << 20);
    inputs.inputs.push_back(context.input("disk", args.disk, options.disk));
  }
  options.console = [&](std::string_view text) {
    context.streams.err << text;
  };
  FrameWriter frames(args.frames);
  options.frame = [&](const memory::Frame& frame) {
    frames.take(frame);
  };
  Tee tee;
  std::unique_ptr<trace::AccessFileWriter> file;
  if (!args.trace.empty())
    tee.add((file = std::make_unique<trace::AccessFileWriter>(args.trace)).get());
  std::unique_ptr<trace::AccessTextWriter> text;
  std::unique_ptr<trace::AccessTextWriter> paper;
  if (!args.text.empty())
    tee.add((text = std::make_unique<trace::AccessTextWriter>(args.text, trace::TextForm::Full)).get());
  if (!args.paper.empty())
    tee.add((paper = std::make_unique<trace::AccessTextWriter>(args.paper, trace::TextForm::Paper)).get());
  if (!tee.empty())
    options.sink = &tee;

  const std::string elf = base::read_file(args.guest, uint64_t{256} << 20);
  inputs.inputs.push_back(context.input("guest", args.guest, elf));
  const memory::RunResult run = memory::simulate(riscv::parse_elf(elf, args.guest), platform, options);
  // The first part of a trace looks like a whole one: it is not put where somebody would take it for that.
  if (!tee.empty() && options.progress.stopped())
    throw base::Error(
        {args.guest},
        "interrupted after " + std::to_string(run.cycles) + " cycles; the trace was not written");
  if (file) {
    trace::TraceFacts facts;
    facts.line_bytes = uint32_t(platform.dcache.line_bytes);
    file->set_facts(facts);
    file->finish();
  }
  if (text)
    text->finish();
  if (paper)
    paper->finish();

  finding::Diagnosis d = describe(args, platform, run);
  d.inputs = inputs.inputs;
  d.seed = context.seed;
  if (frames.count() > 0)
    d.facts.emplace_back("frames", number(uint64_t(frames.count())) + ", digest " + frames.digest());
  if (file) {
    d.facts.emplace_back(
        "trace",
        number(file->events()) + " events, " +
            base::format_number(double(file->bytes()) / std::max<double>(1, double(file->events())), 3) +
            " bytes an event");
  }
  context.show(std::move(d));
}

}  // namespace

void add_memory_simulate(Command& group, Context& context) {
  Command* command =
      group.add_subcommand("simulate", "Run a program on a simulated shared-memory multiprocessor");
  auto args = std::make_shared<Arguments>();
  command->add_option("GUEST", args->guest, "RV32IMA program (ELF)")->required();
  command
      ->add_option(
          "--platform",
          args->platform,
          "Platform (YAML); without it the shipped default, examples/memory/default.yaml")
      ->type_name("FILE");
  command->add_option("--harts", args->harts, "Harts, instead of the platform's")
      ->check(range(1, memory::Platform::kMaxHarts));
  command->add_option("--disk", args->disk, "Content of the block device")->type_name("FILE");
  command->add_option("--frames", args->frames, "Write the frames of the frame buffer into this folder (PNM)")
      ->type_name("DIR");
  command->add_option("--trace", args->trace, "Write the access trace (compressed chunks)")
      ->type_name("FILE");
  command->add_option("--text", args->text, "Write the access trace as text, lossless")->type_name("FILE");
  command->add_option("--paper-text", args->paper, "Write the paper's six columns as text")
      ->type_name("FILE");
  command->add_option("--argument", args->arguments, "A word that the guest can read (up to 8)")
      ->expected(1, 8);
  command->add_option("--max-cycles", args->max_cycles, "Stop after so many cycles (--tohost: instructions)");
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
    args->tohost ? run_tohost(*args, context) : run_platform(*args, context);
  });
}

}  // namespace lento::cli
