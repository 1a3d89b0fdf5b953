// lento tile build compiles a program for a tile, and lento tile verify proves bounds of its run time and
// its memory.
#include <ostream>

#include "base/file.h"
#include "cli/tile/tile.h"
#include "tile/build.h"

namespace lento::cli {
namespace {

struct BuildArgs {
  tile::TileBuildOptions job;
  std::string out;
  std::string elf;
  std::vector<uint32_t> trigger;  // start and stop address, or none
};

void build(BuildArgs& args, Context& context) {
  args.job.keep_elf = !args.elf.empty();
  if (!args.trigger.empty())
    args.job.trigger = {args.trigger[0], args.trigger[1]};
  const tile::TileBuild made = tile::build_tile(args.job);
  base::write_file(args.out, made.bytes);
  if (!args.elf.empty())
    base::write_file(args.elf, made.built.elf);
  context.streams.out << args.out << ": " << made.instructions << " instructions, "
                      << made.built.image.data.size() << " bytes of data, main of " << made.built.main_lines
                      << " lines, sha256 " << tile::sha256_hex(made.bytes) << "\n";
}

void verify(const tile::TileVerifyOptions& options, Context& context) {
  const tile::TileVerification done = tile::verify_tile(options, context.progress());
  context.streams.out << tile::write_report(done.report) << done.worst_path;
  context.result = done.report.accepted ? 0 : done.report.stopped ? 130 : 1;
}

void add_build(Command& tile, Context& context) {
  Command* command = tile.add_subcommand("build", "Compile a tile program in C or assembly to an image");
  auto args = std::make_shared<BuildArgs>();
  tile::TileBuildOptions& job = args->job;
  command->add_option("SOURCE", job.source, "Program (.c or .S) that includes ypu.h");
  command->add_option(
      "--shipped",
      job.shipped,
      "A program that ships with Lento: echo.c, gpu.c, values.c, ...");
  command->add_option("-o,--output", args->out, "Image to write")->required();
  command->add_option("--elf", args->elf, "Also keep the ELF file");
  command->add_option("--block", job.block, "Id of the block it is for")->capture_default_str();
  command->add_option("--abi", job.abi, "Version of the block's signal list")->capture_default_str();
  command->add_option("--policy", job.policy, "closed, restrictive or permissive")->capture_default_str();
  command->add_option("--rollback", job.rollback, "Release counter")->capture_default_str();
  command->add_option("--expires", job.expires, "Last day or moment at which a tile loads it (UTC)");
  command
      ->add_option(
          "--trigger",
          args->trigger,
          "Take inputs from the address START on, until STOP (the ADDR input)")
      ->expected(2)
      ->delimiter(',')
      ->type_name("START,STOP");
  command->add_option("-O", job.optimise, "Compiler optimisation: 0, 1, 2, 3 or s")
      ->check(one_of({"0", "1", "2", "3", "s"}))
      ->capture_default_str();
  example(*command, "lento tile build --shipped echo.c -o echo.ypu");
  command->callback([&context, args] {
    build(*args, context);
  });
}

void add_verify(Command& tile, Context& context) {
  Command* command =
      tile.add_subcommand("verify", "Prove what an image cannot do; exit 1 when it is rejected");
  auto options = std::make_shared<tile::TileVerifyOptions>();
  command->add_option("IMAGE", options->image, "Image to verify")->required();
  command->add_option(
      "--elf",
      options->elf,
      "Its ELF file (tile build --elf): accesses must stay in their variable; lines of the source, also of "
      "the worst path");
  example(*command, "lento tile verify echo.ypu");
  command->callback([&context, options] {
    verify(*options, context);
  });
}

}  // namespace

void add_tile_build(Command& tile, Context& context) {
  add_build(tile, context);
  add_verify(tile, context);
}

}  // namespace lento::cli
