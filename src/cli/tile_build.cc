// lento tile build | verify
#include <ostream>

#include "base/file.h"
#include "cli/tile.h"
#include "tile/seal/policy.h"
#include "tile/unit/build.h"
#include "tile/unit/verify.h"

namespace lento::cli {
namespace {

struct BuildArgs {
  std::string source, out, elf, policy = "permissive", expires, shipped;
  uint32_t block = 1, abi = 1, rollback = 1;
  std::vector<uint32_t> trigger;  // start and stop address, or none
  std::string optimise = "2";
};

void build(const BuildArgs& args, Context& context) {
  if (args.source.empty() == args.shipped.empty()) {
    throw base::Error({}, "give a source file or --shipped NAME, one of the two");
  }
  std::string text =
      args.shipped.empty() ? base::read_file(args.source, 1 << 20) : tile::shipped_source(args.shipped);
  if (text.empty()) {
    throw base::Error({args.source}, "there is no program",
                      base::suggestion(args.shipped, tile::shipped_programs()));
  }
  const std::string name = args.shipped.empty() ? args.source : args.shipped;
  tile::Built built = tile::build_program(text, name, {"riscv64-unknown-elf-gcc", {"-O" + args.optimise}});
  tile::Image& image = built.image;
  image.block = args.block, image.abi = args.abi, image.rollback = args.rollback;
  image.policy = tile::parse_policy(args.policy, "--policy");
  if (!args.expires.empty()) image.expires = tile::parse_utc_end(args.expires, {"--expires"});
  if (!args.trigger.empty())
    image.triggered = true, image.trigger_start = args.trigger[0], image.trigger_end = args.trigger[1];
  const std::string bytes = tile::write_image(image);
  base::write_file(args.out, bytes);
  if (!args.elf.empty()) base::write_file(args.elf, built.elf);
  context.streams.out << args.out << ": " << image.code.size() / 4 << " instructions, " << image.data.size()
                      << " bytes of data, main of " << built.main_lines << " lines, sha256 "
                      << tile::sha256_hex(bytes) << "\n";
}

}  // namespace

void add_tile_build(Command& tile, Context& context) {
  Command* command = tile.add_subcommand("build", "Compile a tile program in C or assembly to an image");
  auto args = std::make_shared<BuildArgs>();
  command->add_option("SOURCE", args->source, "Program (.c or .S) that includes ypu.h");
  command->add_option("--shipped", args->shipped,
                      "A program that ships with Lento: echo.c, gpu.c, values.c, ...");
  command->add_option("-o,--output", args->out, "Image to write")->required();
  command->add_option("--elf", args->elf, "Also keep the ELF file");
  command->add_option("--block", args->block, "Id of the block it is for")->capture_default_str();
  command->add_option("--abi", args->abi, "Version of the block's signal list")->capture_default_str();
  command->add_option("--policy", args->policy, "closed, restrictive or permissive")->capture_default_str();
  command->add_option("--rollback", args->rollback, "Release counter")->capture_default_str();
  command->add_option("--expires", args->expires, "Last day or moment at which a tile loads it (UTC)");
  command
      ->add_option("--trigger", args->trigger,
                   "Take inputs from the address START on, until STOP (the ADDR input)")
      ->expected(2)
      ->delimiter(',')
      ->type_name("START,STOP");
  command->add_option("-O", args->optimise, "Compiler optimisation: 0, 1, 2, 3 or s")
      ->check(one_of({"0", "1", "2", "3", "s"}))
      ->capture_default_str();
  example(*command, "lento tile build --shipped echo.c -o echo.ypu");
  command->callback([&context, args] { build(*args, context); });

  Command* check = tile.add_subcommand("verify", "Prove what an image cannot do; exit 1 when it is rejected");
  auto path = std::make_shared<std::string>();
  check->add_option("IMAGE", *path, "Image to verify")->required();
  example(*check, "lento tile verify echo.ypu");
  check->callback([&context, path] {
    const tile::Image image = tile::parse_image(base::read_file(*path, 4 << 20), *path);
    const tile::VerifyReport report = tile::verify(image, context.progress());
    context.streams.out << tile::write_report(report);
    context.result = report.accepted ? 0 : report.stopped ? 130 : 1;
  });
}

}  // namespace lento::cli
