// lento tile run: runs a tile on recorded signals of the part of a chip that it watches, or a plain RV32IM
// program in flat memory.
#include <cstdio>
#include <ostream>

#include "base/file.h"
#include "base/sniff.h"
#include "cli/tile/tile.h"
#include "riscv/tohost.h"
#include "tile/run.h"
#include "tile/unit/isa.h"

namespace lento::cli {
namespace {

struct TileRunArguments {
  tile::TileRunOptions job;
  riscv::TohostOptions plain;
  std::string block;  // "vcd:FILE", "fst:FILE"
  bool disassemble = false;
  bool tohost = false;
};

void run_plain(const TileRunArguments& args, Context& context) {
  const riscv::TohostRun run = riscv::run_plain_program(args.plain, context.progress());
  for (const std::string& warning : run.warnings)
    context.warn(args.plain.elf + ": " + warning);
  if (!run.word)
    return;
  const uint32_t word = *run.word;
  context.result = word == 1 ? 0 : 1;
  if (word == 1)
    context.streams.out << "pass after " << run.instructions << " instructions\n";
  else if (word & 1)
    context.streams.out << "fail: test " << (word >> 1) << "\n";
  else
    context.streams.out << "fail: tohost " << word << "\n";
}

void disassemble(const std::string& path, Context& context) {
  const tile::Image image = tile::parse_image(base::read_file(path, 4 << 20), path);
  uint32_t pc = 0;
  for (const tile::TileOp& op : tile::decode_code(image.code)) {
    char line[32];
    std::snprintf(line, sizeof line, "%4x: %08x  ", pc, op.word);
    context.streams.out << line << tile::disassemble(op, pc) << "\n";
    pc += 4;
  }
}

void run_image(TileRunArguments& args, Context& context) {
  if (args.disassemble)
    return disassemble(args.job.load.image, context);
  const bool is_named = args.block.starts_with("vcd:") || args.block.starts_with("fst:");
  args.job.recording = args.block.substr(is_named ? 4 : 0);
  const base::FileKind kind = base::kind_of_file(args.job.recording);
  if (args.job.preset.empty() != args.job.clock.empty())
    throw base::Error({}, "--preset and --clock need each other");
  if (!is_named && kind.noun != "recording of signals") {
    throw base::Error(
        {},
        args.block.empty() ? "a tile needs a block's signals"
                           : "'" + args.block + "' is no recording of signals",
        "name a recording of them: --block vcd:FILE or fst:FILE");
  }
  if (args.job.map.empty() == args.job.preset.empty())
    throw base::Error({}, "name the signals: --map FILE or --preset NAME:PREFIX, one of the two");
  if (!args.job.rows.empty() && args.job.record.empty())
    throw base::Error({}, "--rows needs --record, the struct of a row");
  args.job.strict = context.strict;
  finding::Diagnosis d = tile::run_tile(args.job, context.progress());
  d.inputs.insert(d.inputs.begin() + 1, Context::input_file("signals", args.job.recording));
  const bool breach = d.outcome == finding::Outcome::Findings;
  context.show(std::move(d));
  if (breach && context.result == 0)
    context.result = 1;
}

}  // namespace

void add_tile_run(Command& tile, Context& context) {
  Command* command = tile.add_subcommand(
      "run",
      "Run an image on a block's signals, or a plain program; exit 1 when a promise of the image breaks");
  auto args = std::make_shared<TileRunArguments>();
  command->add_option("IMAGE", args->job.load.image, "Image to run");
  command->add_option("--block", args->block, "vcd:FILE or fst:FILE, a recording of any design");
  command->add_option("--map", args->job.map, "Which signals go to which IORegs (YAML, lento.tile-map/1)");
  command->add_option(
      "--preset",
      args->job.preset,
      "Standard signals instead of a map, as NAME:PREFIX: rvfi:top.core. reads top.core.rvfi_valid; also "
      "etrace, axi4, axi4-lite, tilelink, tilelink-chisel");
  command->add_option("--clock", args->job.clock, "Clock of the block for --preset");
  command->add_option("-o,--output", args->job.output, "Write the bytes that leave the output FIFO");
  command->add_option(
      "--record",
      args->job.record,
      "C struct of what the program sends, FILE:NAME or its text; the output is shown as its rows");
  command->add_option(
      "--rows",
      args->job.rows,
      "Write the rows: .csv, .json, .trace.json (Perfetto counters)");
  command->add_option("--vcd", args->job.wave, "Write a VCD of the tile itself");
  command->add_option("--queue", args->job.queue, "Inputs that may wait while main runs")
      ->check(range(0, 64))
      ->capture_default_str();
  command->add_option("--tile-cycles", args->job.tile_cycles, "Tile cycles per cycle of the block")
      ->check(range(1, 64))
      ->capture_default_str();
  command->add_flag(
      "--rtl",
      args->job.rtl,
      "Also run the tile's RTL, built by Verilator (half a minute), and compare it in every cycle");
  add_load_options(*command, args->job.load);
  command->add_flag(
      "--unsigned",
      args->job.unsigned_image,
      "Load the image whatever its signature and the verifier say, shown as unverified (development)");
  command->add_flag("--disassemble", args->disassemble, "Print the code instead of running it");
  context.add_output_options(*command);
  command->add_option(
      "--elf",
      args->plain.elf,
      "A plain RV32I(M) program in flat memory instead of an image");
  command->add_flag(
      "--tohost",
      args->tohost,
      "It ends by a word store to 'tohost': exit 0 for 1, else exit 1");
  command->add_option(
      "--signature",
      args->plain.signature,
      "Write the words from begin_signature to end_signature");
  command->add_option("--max-instructions", args->plain.limit, "Give up after so many")
      ->capture_default_str();
  example(*command, "lento tile run --elf test.elf --tohost");
  command->callback([&context, args] {
    if (args->job.load.image.empty() == args->plain.elf.empty())
      throw base::Error({}, "give an IMAGE or --elf FILE --tohost, one of the two");
    if (!args->plain.elf.empty() && !args->tohost)
      throw base::Error({}, "--elf needs --tohost: the program ends by a store to 'tohost'");
    args->plain.elf.empty() ? run_image(*args, context) : run_plain(*args, context);
  });
}

}  // namespace lento::cli
