// lento tile run: a tile on a block's signals, or a plain RV32IM program in flat memory.
#include <cstdio>
#include <ostream>

#include "base/file.h"
#include "cli/tile.h"
#include "riscv/machine.h"
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

void write_signature(riscv::Machine& machine, const riscv::ElfImage& elf, const std::string& path) {
  const auto begin = elf.find("begin_signature"), end = elf.find("end_signature");
  if (!begin || !end) throw base::Error({path}, "the program has no begin_signature and end_signature");
  std::string out;
  for (uint32_t at = *begin; at < *end; at += 4) {
    uint32_t word = 0;
    machine.memory().read(at, 4, word);
    char line[16];
    std::snprintf(line, sizeof line, "%08x\n", word);
    out += line;
  }
  base::write_file(path, out);
}

void run_elf(const Args& args, Context& context) {
  const riscv::ElfImage elf = riscv::read_elf(args.elf);
  if (!elf.find("tohost"))
    throw base::Error({args.elf}, "the program has no symbol 'tohost'",
                      "it ends by storing a word there: 1 pass, (n << 1) | 1 test n failed");
  riscv::Machine machine(riscv::Extensions{true, false, false});
  machine.load(elf);
  const base::Progress progress = context.progress();
  constexpr uint64_t kSlice = 1 << 24;
  for (uint64_t done = 0; done < args.limit && !machine.tohost() && !progress.stopped(); done += kSlice) {
    machine.run(std::min(kSlice, args.limit - done));
    const riscv::Hart& hart = machine.hart();
    if (hart.mepc != 0 || hart.mcause != 0) {  // a program without CSRs has no trap handler
      char text[96];
      std::snprintf(text, sizeof text, "trap: cause %u at pc 0x%x, value 0x%x", hart.mcause, hart.mepc,
                    hart.mtval);
      throw base::Error({args.elf}, text);
    }
  }
  if (!machine.tohost())
    throw base::Error({args.elf}, "the program did not store to tohost within " + std::to_string(args.limit) +
                                      " instructions");
  if (!args.signature.empty()) write_signature(machine, elf, args.signature);
  const uint32_t word = *machine.tohost();
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

void run_image(const Args& args, Context& context) {
  const std::string bytes = base::read_file(args.load.image, 4 << 20);
  const tile::Image image = tile::parse_image(bytes, args.load.image);
  if (args.disassemble) return disassemble(image, context);
  if (args.block.compare(0, 4, "vcd:") != 0 || args.map.empty()) {
    throw base::Error({}, "name the block's signals: --block vcd:FILE --map FILE",
                      "or look at the built-in blocks with 'lento tile case'");
  }
  if (!args.unsigned_image) {
    const tile::Decision decision = decide_load(args.load, rules_of(args.load));
    if (!decision.accepted) throw base::Error({args.load.image}, "the tile refuses it: " + decision.reason);
  }
  const tile::VcdMap map = tile::parse_vcd_map(base::read_file(args.map, 1 << 20), args.map);
  tile::Tile unit({64, args.queue});
  std::unique_ptr<tile::VcdWriter> wave;
  if (!args.wave.empty()) wave = std::make_unique<tile::VcdWriter>(args.wave);
  std::string output;
  const auto step = [&](const tile::TileInputs* inputs) {
    unit.step(inputs);
    output += unit.drain(4);
    if (wave) wave->sample(unit);
  };
  unit.config_image(image);
  unit.resume();
  for (int i = 0;
       i < 1'000'000 && unit.status() != tile::Status::ActivePaused && unit.status() != tile::Status::Error;
       ++i)
    step(nullptr);
  base::ReadReport report;
  report.strict = context.strict;
  tile::TileInputs inputs;
  tile::read_vcd(args.block.substr(4), map, report, [&](const tile::VcdCycle& cycle) {
    inputs.valid = cycle.valid;
    std::copy(std::begin(cycle.data), std::end(cycle.data), inputs.data.begin());
    inputs.has_address = cycle.has_address, inputs.address = cycle.address;
    step(cycle.valid || cycle.has_address ? &inputs : nullptr);
    for (uint32_t i = 1; i < args.tile_cycles; ++i) step(nullptr);
  });
  unit.finalize();
  for (int i = 0; i < 1'000'000 && !(unit.status() == tile::Status::Paused && unit.idle()) &&
                  unit.status() != tile::Status::Error;
       ++i)
    step(nullptr);
  while (unit.output_waiting() > 0) output += unit.drain(64);
  if (wave) wave->commit();
  if (!args.output.empty()) base::write_file(args.output, output);
  finding::Diagnosis d = describe(unit);
  d.inputs = {Context::input("image", args.load.image, bytes)};
  finding::add_read_report(d, report);
  context.show(std::move(d));
}

}  // namespace

void add_tile_run(CLI::App& tile, Context& context) {
  CLI::App* command = tile.add_subcommand("run", "Run an image on a block's signals, or a plain program");
  auto args = std::make_shared<Args>();
  command->add_option("IMAGE", args->load.image, "Image to run");
  command->add_option("--block", args->block, "vcd:FILE, a recording of any design");
  command->add_option("--map", args->map, "Which signals go to which IORegs (YAML, lento.tile-map/1)");
  command->add_option("-o,--output", args->output, "Write the bytes that leave the output FIFO");
  command->add_option("--vcd", args->wave, "Write a VCD of the tile itself");
  command->add_option("--queue", args->queue, "Inputs that may wait while main runs")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  command->add_option("--tile-cycles", args->tile_cycles, "Tile cycles per cycle of the block")
      ->check(CLI::Range(1, 64))
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
