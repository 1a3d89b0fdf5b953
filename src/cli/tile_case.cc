// lento tile case: the case studies.
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
