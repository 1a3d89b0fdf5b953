// lento tile run: a tile on a block's signals, or a plain RV32IM program in flat memory.
#include <cstdio>
#include <ostream>

#include "base/file.h"
#include "cli/conformance.h"
#include "cli/tile.h"
#include "tile/block/vcd.h"
#include "tile/unit/tile.h"
#include "tile/unit/vcd_writer.h"

namespace lento::cli {
namespace {

struct Args {
  std::string elf, signature, block, map, output, wave;
  LoadArgs load;
  bool disassemble = false, unsigned_image = false;
  uint32_t queue = 0, tile_cycles = 1;
  bool tohost = false;
  uint64_t limit = 10'000'000'000;
};

constexpr uint64_t kMaxSignature = 1 << 20;  // bytes

void write_signature(riscv::Machine& machine, const riscv::ElfImage& elf, const std::string& path) {
  const auto begin = elf.find("begin_signature"), end = elf.find("end_signature");
  if (!begin || !end) throw base::Error({path}, "the program has no begin_signature and end_signature");
  if (*end < *begin || *end - *begin > kMaxSignature)
    throw base::Error({path}, "begin_signature to end_signature is no region of at most 1 MiB");
  std::string out;
  for (uint64_t at = *begin; at < *end; at += 4) {
    uint32_t word = 0;
    char line[16];
    if (at + 4 > UINT32_MAX || !machine.memory().read(static_cast<uint32_t>(at), 4, word)) {
      std::snprintf(line, sizeof line, "0x%llx", static_cast<unsigned long long>(at));
      throw base::Error({path}, std::string("the signature leaves the program's memory at ") + line);
    }
    std::snprintf(line, sizeof line, "%08x\n", word);
    out += line;
  }
  base::write_file(path, out);
}

void run_elf(const Args& args, Context& context) {
  const riscv::ElfImage elf = riscv::read_elf(args.elf);
  riscv::Machine machine(riscv::Extensions{true, false, false});
  const auto stored = run_to_tohost(machine, elf, args.elf, args.limit, context);
  if (!stored) return;
  if (!args.signature.empty()) write_signature(machine, elf, args.signature);
  const uint32_t word = *stored;
  context.result = word == 1 ? 0 : 1;
  if (word == 1)
    context.streams.out << "pass after " << machine.hart().instret << " instructions\n";
  else if (word & 1)
    context.streams.out << "fail: test " << (word >> 1) << "\n";
  else
    context.streams.out << "fail: tohost " << word << "\n";
}

void disassemble(const tile::Image& image, Context& context) {
  uint32_t pc = 0;
  for (const tile::TileOp& op : tile::decode_code(image.code)) {
    char line[32];
    std::snprintf(line, sizeof line, "%4x: %08x  ", pc, op.word);
    context.streams.out << line << tile::disassemble(op, pc) << "\n";
    pc += 4;
  }
}

finding::Diagnosis describe(const tile::Tile& unit) {
  const tile::TileCounters& c = unit.counters();
  finding::Diagnosis d;
  d.scale = "tile";
  d.title = "A tile on a recorded block";
  const auto count = [&](const std::string& name, uint64_t n) {
    d.facts.emplace_back(name, std::to_string(n));
  };
  count("cycles", c.cycles);
  count("cycles a region ran", c.active_cycles);
  count("instructions", c.instructions);
  count("inputs", c.inputs);
  count("runs of main", c.started);
  count("inputs streamed", c.streamed);
  for (int i = 0; i < tile::kDrops; ++i) {
    count("dropped: " + std::string(tile::drop_name(static_cast<tile::Drop>(i))),
          c.dropped[static_cast<size_t>(i)]);
  }
  count("cycles hist.in waited", c.starved_cycles);
  count("longest main, cycles", c.worst_main_cycles);
  count("output bytes", c.output_bytes);
  count("cycles the output was full", c.output_stalls);
  d.facts.emplace_back("status", tile::status_name(unit.status()));
  d.verdict = std::to_string(c.inputs - c.total_dropped()) + " of " + std::to_string(c.inputs) +
              " inputs were processed.";
  if (unit.fault().cause != tile::FaultCause::None) {
    char text[96];
    std::snprintf(text, sizeof text, "The tile stopped: %s at pc 0x%x, 0x%x.",
                  std::string(tile::fault_name(unit.fault().cause)).c_str(), unit.fault().pc,
                  unit.fault().address);
    d.verdict = text;
  }
  return d;
}

// What the tile would load: the very bytes that were judged, unless the user wants no judgement.
tile::Image image_to_run(const Args& args, Context& context) {
  if (args.disassemble || args.unsigned_image)
    return tile::parse_image(base::read_file(args.load.image, 4 << 20), args.load.image);
  const tile::Decision decision = decide_load(args.load, context);
  if (!decision.accepted) throw base::Error({args.load.image}, "the tile refuses it: " + decision.reason);
  return decision.image;
}

// A tile with what it is connected to.
class Bench {
 public:
  explicit Bench(const Args& args) : args_(args), unit_({64, args.queue}) {
    if (!args.wave.empty()) wave_ = std::make_unique<tile::VcdWriter>(args.wave);
  }

  void load(const tile::Image& image) {
    unit_.config_image(image);
    unit_.resume();
    settle([&] { return unit_.status() == tile::Status::ActivePaused; });
  }

  void feed(const tile::VcdCycle& cycle) {
    tile::TileInputs inputs;
    inputs.valid = cycle.valid;
    std::copy(std::begin(cycle.data), std::end(cycle.data), inputs.data.begin());
    inputs.has_address = cycle.has_address, inputs.address = cycle.address;
    step(cycle.valid || cycle.has_address ? &inputs : nullptr);
    for (uint32_t i = 1; i < args_.tile_cycles; ++i) step(nullptr);
  }

  void finish() {
    unit_.finalize();
    settle([&] { return unit_.status() == tile::Status::Paused && unit_.idle(); });
    while (unit_.output_waiting() > 0) output_ += unit_.drain(64);
    if (wave_) wave_->commit();
    if (!args_.output.empty()) base::write_file(args_.output, output_);
  }

  const tile::Tile& unit() const { return unit_; }

 private:
  void step(const tile::TileInputs* inputs) {
    unit_.step(inputs);
    output_ += unit_.drain(4);
    if (wave_) wave_->sample(unit_);
  }

  template <class Done>
  void settle(Done&& done) {
    for (int i = 0; i < 1'000'000 && !done() && unit_.status() != tile::Status::Error; ++i) step(nullptr);
  }

  const Args& args_;
  tile::Tile unit_;
  std::unique_ptr<tile::VcdWriter> wave_;
  std::string output_;
};

void run_image(const Args& args, Context& context) {
  const tile::Image image = image_to_run(args, context);
  if (args.disassemble) return disassemble(image, context);
  if (args.block.compare(0, 4, "vcd:") != 0 || args.map.empty()) {
    throw base::Error({}, "name the block's signals: --block vcd:FILE --map FILE",
                      "or look at the built-in blocks with 'lento-lab tile case'");
  }
  const std::string recording = args.block.substr(4), map_text = base::read_file(args.map, 1 << 20);
  const tile::VcdMap map = tile::parse_vcd_map(map_text, args.map);
  Bench bench(args);
  bench.load(image);
  base::ReadReport report;
  report.strict = context.strict;
  const base::Progress progress = context.progress();
  const bool whole = tile::read_vcd(recording, map, report, [&](const tile::VcdCycle& cycle) {
    bench.feed(cycle);
    return !progress.stopped();
  });
  bench.finish();
  finding::Diagnosis d = describe(bench.unit());
  if (!whole) d.verdict += " Interrupted before the end of the recording.";
  d.inputs = {Context::input("image", args.load.image, tile::write_image(image)),
              Context::input_file("signals", recording), Context::input("map", args.map, map_text)};
  d.options = {{"queue", std::to_string(args.queue)}, {"tile cycles", std::to_string(args.tile_cycles)}};
  finding::add_read_report(d, report);
  context.show(std::move(d));
}

}  // namespace

void add_tile_run(Command& tile, Context& context) {
  Command* command = tile.add_subcommand("run", "Run an image on a block's signals, or a plain program");
  auto args = std::make_shared<Args>();
  command->add_option("IMAGE", args->load.image, "Image to run");
  command->add_option("--block", args->block, "vcd:FILE, a recording of any design");
  command->add_option("--map", args->map, "Which signals go to which IORegs (YAML, lento.tile-map/1)");
  command->add_option("-o,--output", args->output, "Write the bytes that leave the output FIFO");
  command->add_option("--vcd", args->wave, "Write a VCD of the tile itself");
  command->add_option("--queue", args->queue, "Inputs that may wait while main runs")
      ->check(range(0, 64))
      ->capture_default_str();
  command->add_option("--tile-cycles", args->tile_cycles, "Tile cycles per cycle of the block")
      ->check(range(1, 64))
      ->capture_default_str();
  add_load_options(*command, args->load);
  command->add_flag("--unsigned", args->unsigned_image,
                    "Load the image whatever its signature (development)");
  command->add_flag("--disassemble", args->disassemble, "Print the code instead of running it");
  context.add_output_options(*command);
  command->add_option("--elf", args->elf, "A plain RV32I(M) program in flat memory instead of an image");
  command->add_flag("--tohost", args->tohost,
                    "It ends by a word store to 'tohost': exit 0 for 1, else exit 1");
  command->add_option("--signature", args->signature,
                      "Write the words from begin_signature to end_signature");
  command->add_option("--max-instructions", args->limit, "Give up after so many")->capture_default_str();
  example(*command, "lento tile run --elf test.elf --tohost");
  command->callback([&context, args] {
    if (args->load.image.empty() == args->elf.empty())
      throw base::Error({}, "give an IMAGE or --elf FILE --tohost, one of the two");
    if (!args->elf.empty() && !args->tohost)
      throw base::Error({}, "--elf needs --tohost: the program ends by a store to 'tohost'");
    args->elf.empty() ? run_image(*args, context) : run_elf(*args, context);
  });
}

}  // namespace lento::cli
