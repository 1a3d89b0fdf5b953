// lento tile case: the case studies.
#include "base/file.h"
#include "cli/tile.h"
#include "tile/cases/cases.h"

namespace lento::cli {

void add_tile_case(CLI::App& tile, Context& context) {
  CLI::App* cases = tile.add_subcommand("case", "The case studies, each with its table");
  cases->require_subcommand(1);
  example(*cases, "lento tile case gpu");

  CLI::App* prefetch =
      cases->add_subcommand("prefetch", "Instruction prefetchers on fetch streams: an A/B table");
  auto traces = std::make_shared<std::vector<std::string>>();
  prefetch->add_option("TRACE", *traces, "Line-visit traces (.lft, also compressed)")->required();
  context.add_output_options(*prefetch);
  example(*prefetch, "lento tile case prefetch ../shared/data/tile/python3.lft.xz");
  prefetch->callback([&context, traces] { context.show(tile::prefetch_case(*traces, context.progress())); });

  CLI::App* pics = cases->add_subcommand(
      "pics", "Cycle stacks per instruction of an out-of-order core, sampled by a tile");
  auto paths = std::make_shared<tile::PicsPaths>();
  auto pics_options = std::make_shared<tile::PicsOptions>();
  pics->add_option("PROGRAM", paths->programs, "RV32IM ELF files that end by a store to 'tohost'")
      ->required();
  pics->add_option("--period", pics_options->period, "Tile cycles between samples")
      ->check(CLI::Range(64, 1 << 20))
      ->capture_default_str();
  pics->add_option("--clock", pics_options->tile_clock, "Tile cycles per core cycle")
      ->check(CLI::Range(0.1, 8.0))
      ->capture_default_str();
  pics->add_option("--folded", paths->folded, "Write folded stacks for flame graphs")->type_name("FILE");
  context.add_output_options(*pics);
  example(*pics,
          "lento tile case pics build/release/guests/core/*.elf --html pics.html --folded pics.folded");
  pics->callback([&context, paths, pics_options] {
    finding::Diagnosis d = tile::pics_case(*paths, *pics_options, context.progress());
    for (const std::string& path : paths->programs)
      d.inputs.push_back(Context::input("program", path, base::read_file(path)));
    context.show(std::move(d));
  });

  CLI::App* gpu = cases->add_subcommand("gpu", "GPU utilisation in windows of 256 cycles, 22 GEMM shapes");
  auto cycles = std::make_shared<uint64_t>(200'000);
  gpu->add_option("--max-cycles", *cycles, "Cycles of each shape")->capture_default_str();
  context.add_output_options(*gpu);
  context.add_seed(*gpu);
  example(*gpu, "lento tile case gpu --html gpu.html");
  gpu->callback(
      [&context, cycles] { context.show(tile::gpu_case(*cycles, context.seed, context.progress())); });
}

}  // namespace lento::cli
