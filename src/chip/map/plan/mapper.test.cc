#include "chip/map/plan/mapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <set>

#include "base/error.h"
#include "chip/map/binary_tree.h"
#include "chip/map/file/map_file.h"
#include "chip/map/grid.h"
#include "chip/map/identify.h"
#include "chip/map/lower/layer_graph.h"
#include "chip/map/plan/partition.h"
#include "chip/map/plan/sequence.h"
#include "chip/map/program.h"
#include "spec/test_onnx.h"
#include "spec/transformer_network.h"

namespace lento::chip {
namespace {

// What one part holds at a time, in bytes (elements are one byte): input, weights and output of a sub-step.
// Received inputs arrive whole, read ones in sub-steps.
int64_t scratchpad_need(const Layer& layer, const MappedLayer& mapped) {
  int64_t worst = 0;
  const auto& f = mapped.fetch;
  bool received = false;
  for (const InputFeature& input : mapped.inputs)
    received = received || !input.from_dram;
  for (const Block& block : mapped.outputs.front().blocks) {
    const Slice& s = block.slice;
    const auto cut = [](Range r, int n) {
      return Range{r.start, r.start + (r.size() + n - 1) / n};
    };
    const Box part{s[1], s[2], s[3]};
    const Box sub{s[1], cut(s[2], f[2]), cut(s[3], f[3])};
    const int64_t samples = s[0].size();
    const int64_t sub_samples = cut(s[0], f[0]).size();
    const bool whole = received || f[1] > 1;
    const int64_t input = whole ? input_bytes(layer, part) * samples : input_bytes(layer, sub) * sub_samples;
    const int64_t channels = cut(s[1], f[1]).size();
    worst = std::max(
        worst,
        input + weight_elements(layer, channels) + channels * sub[1].size() * sub[2].size() * sub_samples);
  }
  return worst;
}

using spec::test::OnnxModel;

LayerGraph lowered(const OnnxModel& model) {
  base::ReadReport report;
  return lower(spec::parse_onnx(model.bytes(), "m.onnx", {}, report), "m.onnx");
}

spec::Chip square(int side) {
  spec::Chip chip;
  chip.width = chip.height = side;
  return chip;
}

int64_t outputs_of(const Layer& layer) {
  return layer.layout.extents[0] * layer.layout.extents[1] * layer.layout.extents[2];
}

// Every output element of a pass exactly once: the parts do not overlap and add up.
void expect_each_output_once(const LayerGraph& graph, const Mapping& mapping) {
  for (const MappedLayer& layer : mapping.layers) {
    const auto& blocks = layer.outputs.front().blocks;
    int64_t sum = 0;
    Slice common;
    for (size_t i = 0; i < blocks.size(); ++i) {
      EXPECT_EQ(blocks[i].cores.size(), 1u);
      sum += volume(blocks[i].slice);
      for (size_t k = i + 1; k < std::min(blocks.size(), i + 200); ++k) {
        EXPECT_FALSE(intersect(blocks[i].slice, blocks[k].slice, common)) << layer.name;
      }
    }
    EXPECT_EQ(sum, outputs_of(graph.layers[layer.id]) * layer.samples_per_pass) << layer.name;
  }
}

// All that any single output element needs lies inside the input slices of the core that computes it.
// Elements are sampled; needs() of one element is exact, so this checks the intervals of whole parts against
// it.
void expect_inputs_cover(const LayerGraph& graph, const Mapping& mapping) {
  for (const MappedLayer& mapped : mapping.layers) {
    const Layer& layer = graph.layers[mapped.id];
    for (const Block& part : mapped.outputs.front().blocks) {
      std::vector<std::pair<int, Slice>> have;
      for (const InputFeature& input : mapped.inputs) {
        for (const Block& b : input.blocks) {
          for (const Position p : b.cores) {
            if (p.x == part.cores[0].x && p.y == part.cores[0].y)
              have.push_back({input.source_layer, b.slice});
          }
        }
      }
      for (int corner = 0; corner < 8; ++corner) {
        Box one;
        for (int a = 0; a < 3; ++a) {
          const Range r = part.slice[a + 1];
          const int64_t at = corner >> a & 1 ? r.end - 1 : r.start;
          one[a] = {at, at + 1};
        }
        std::vector<Need> wanted;
        for (const Operand& operand : layer.operands)
          needs(layer, operand, one, wanted);
        for (const Need& need : wanted) {
          bool covered = false;
          for (const auto& [source, slice] : have) {
            bool inside = source == need.source;
            for (int a = 0; a < 3; ++a)
              inside =
                  inside && slice[a + 1].start <= need.box[a].start && need.box[a].end <= slice[a + 1].end;
            covered = covered || inside;
          }
          EXPECT_TRUE(covered) << layer.name << " needs more of layer " << need.source;
        }
      }
    }
  }
}

void expect_sound(const LayerGraph& graph, const Mapping& mapping, const spec::Chip& chip) {
  expect_each_output_once(graph, mapping);
  expect_inputs_cover(graph, mapping);
  EXPECT_NO_THROW(check_fits(mapping, Grid(chip), "m"));
  // Cores of a segment; of a layer where layers follow one another on the same cores.
  std::map<int, std::set<std::pair<int, int>>> taken;
  const bool sequential = has_attention(graph);
  for (const MappedLayer& layer : mapping.layers) {
    EXPECT_LE(scratchpad_need(graph.layers[layer.id], layer), chip.core.scratchpad_bytes) << layer.name;
    for (const Block& b : layer.outputs.front().blocks) {
      EXPECT_TRUE(taken[sequential ? layer.id : layer.segment].insert({b.cores[0].x, b.cores[0].y}).second)
          << "a core works twice";
    }
    for (const InputFeature& input : layer.inputs) {
      const bool inside =
          input.source_layer >= 0 && mapping.layers[input.source_layer].segment == layer.segment;
      EXPECT_EQ(input.from_dram, !inside);
    }
  }
  const std::string text = write_map(mapping);
  EXPECT_EQ(write_map(parse_map(text, "m")), text);
  EXPECT_NO_THROW(expand(mapping, chip, "m"));
}

TEST(Mapper, SmallNetworksAreSoundOnEveryChip) {
  for (const OnnxModel& model :
       {spec::test::mobile_block(), spec::test::branches(), spec::test::attention()}) {
    const LayerGraph graph = lowered(model);
    for (const int side : {1, 2, 4, 7}) {
      for (const int64_t batch : {1, 6, 16}) {
        MapOptions options;
        options.batch = batch;
        expect_sound(graph, map_network(graph, square(side), options, "m.onnx"), square(side));
      }
    }
  }
}

TEST(Mapper, SmallScratchpadIsRespectedOrRefused) {
  const LayerGraph graph = lowered(spec::test::branches());
  spec::Chip chip = square(4);
  chip.core.scratchpad_bytes = 8 << 10;
  expect_sound(graph, map_network(graph, chip, {4}, "m.onnx"), chip);
  chip.core.scratchpad_bytes = 64;
  try {
    map_network(graph, chip, {4}, "m.onnx");
    FAIL() << "64 bytes hold no layer";
  } catch (const base::Error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("larger core.scratchpad"));
  }
}

TEST(Mapper, MapLargerThanTheChipIsRefused) {
  const LayerGraph graph = lowered(spec::test::mobile_block());
  const Mapping mapping = map_network(graph, square(4), {16}, "m.onnx");
  EXPECT_THROW(check_fits(mapping, Grid(square(1)), "m"), base::Error);
}

TEST(Lower, ViewsAndActivationsCostNothing) {
  const LayerGraph graph = lowered(spec::test::attention());
  std::vector<std::string> names;
  for (const Layer& layer : graph.layers)
    names.push_back(layer.name);
  EXPECT_THAT(
      names,
      ::testing::ElementsAre("n", "qkv", "scores", "p", "heads_out", "projected", "y", "up", "down"));
}

TEST(Lower, SliceOfAFusedProjectionIsExact) {
  const LayerGraph graph = lowered(spec::test::attention());
  const Layer& scores = graph.layers[2];  // heads x rows x columns = 3 x 10 x 10
  std::vector<Need> found;
  needs(scores, scores.operands[0], {{{1, 2}, {4, 5}, {0, 10}}}, found);  // head 1, row 4: q
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].box[0].start, 8);  // channels of head 1 of q
  EXPECT_EQ(found[0].box[0].end, 16);
  EXPECT_EQ(found[0].box[1].start, 4);
  found.clear();
  needs(scores, scores.operands[1], {{{1, 2}, {4, 5}, {0, 10}}}, found);  // k: behind q, all rows
  EXPECT_EQ(found[0].box[0].start, 32);
  EXPECT_EQ(found[0].box[0].end, 40);
  EXPECT_EQ(found[0].box[1].end, 10);
}

TEST(Lower, ConcatOffsetsAreRelativeToTheSource) {
  const LayerGraph graph = lowered(spec::test::branches());
  const auto grouped = std::ranges::find_if(graph.layers, [](const Layer& l) {
    return l.name == "grouped";
  });
  std::vector<Need> found;
  // Output channels 3..5 are group 1, which reads joined channels 6..11: all within "right" (6..15), from 0.
  needs(*grouped, grouped->operands[0], {{{3, 6}, {0, 1}, {0, 1}}}, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(graph.layers[found[0].source].name, "right");
  EXPECT_EQ(found[0].box[0].start, 0);
  EXPECT_EQ(found[0].box[0].end, 6);
  EXPECT_EQ(found[0].box[1].end, 3);
}

TEST(Lower, HaloIsIncludedAndClamped) {
  const LayerGraph graph = lowered(spec::test::mobile_block());
  std::vector<Need> found;
  needs(graph.layers[0], graph.layers[0].operands[0], {{{0, 16}, {4, 8}, {0, 16}}}, found);
  EXPECT_EQ(found[0].box[1].start, 7);  // 4 * 2 - 1
  EXPECT_EQ(found[0].box[1].end, 16);   // 7 * 2 - 1 + 3
  EXPECT_EQ(found[0].box[2].start, 0);
  EXPECT_EQ(found[0].box[2].end, 32);
}

TEST(BinaryTree, NodesReadTheirChildren) {
  for (const std::string placement : {"rows", "compact", "scatter"}) {
    BinaryTree tree;
    tree.placement = placement;
    const Program program = expand(map_binary_tree(tree, square(4)), square(4), "tree");
    const auto totals = program.totals();
    EXPECT_EQ(totals.sends, 14u * 64);  // every node but the root sends once a pass
    EXPECT_EQ(totals.message_bytes, 14ull * 64 * 128 * 128);
    EXPECT_EQ(totals.operations, 15ull * 64 * 128 * 128 * 128);
    EXPECT_EQ(totals.reads, 8u * 64);
  }
  BinaryTree large;
  large.depth = 5;
  EXPECT_THROW(map_binary_tree(large, square(4)), base::Error);
}

TEST(Mapper, SharedModels) {
  const char* shared = std::getenv("LENTO_SHARED");
  const std::string folder = std::string(shared ? shared : "../shared") + "/models/";
  if (!std::ifstream(folder + "resnet50.onnx"))
    GTEST_SKIP() << "no models in " << folder;
  for (const std::string name : {"darknet19", "googlenet", "gpt2_small", "resnet18", "resnet50", "vgg19"}) {
    base::ReadReport report;
    const LayerGraph graph = lower(spec::read_onnx(folder + name + ".onnx", {}, report), name);
    EXPECT_EQ(graph.generic, 0) << name;
    expect_sound(graph, map_network(graph, square(4), {16}, name), square(4));
  }
}

// Most segments of a transformer are short. What crosses no link cannot be judged on it.
// Decoded tokens: a cache, products of one row, weights that outweigh all else.
LayerGraph decoder() {
  spec::TransformerShape m;
  m.layers = 2;
  m.hidden = 256;
  m.heads = 8;
  m.kv_heads = 4;
  m.head_size = 32;
  m.ffn = 704;
  m.gated = true;
  spec::TransformerRun run;
  run.tokens = 0;
  run.context = 64;
  run.steps = 2;
  return lower(spec::transformer_network(m, run, "config.json"), "config.json");
}

TEST(Mapper, DecodedTokensCrossTheLinks) {
  const spec::Chip chip = square(4);
  const Mapping mapping = map_network(decoder(), chip, {4}, "config.json");
  check_fits(mapping, Grid(chip), "config.json");
  const Grid grid(chip);
  const Identifiability seen = identify(expand(mapping, chip, "config.json"), grid, LinkRank::Skip);
  EXPECT_GE(seen.used_links, 0.9 * grid.link_count());
}

TEST(Mapper, DearerSingleLayersStandTogether) {
  const auto segments = [](double alone) {
    return map_network(decoder(), square(4), {4, 40, alone}, "config.json").layers.back().segment;
  };
  EXPECT_LE(segments(3), segments(1));
  EXPECT_LT(segments(100), 60);  // of layers of two tokens
}

TEST(Mapper, ATransformersMessagesCrossTheLinks) {
  const char* shared = std::getenv("LENTO_SHARED");
  const std::string file = std::string(shared ? shared : "../shared") + "/models/gpt2_small.onnx";
  if (!std::ifstream(file))
    GTEST_SKIP() << "no models";
  base::ReadReport report;
  const LayerGraph graph = lower(spec::read_onnx(file, {}, report), "gpt2_small");
  for (const int64_t batch : {1, 8}) {
    const spec::Chip chip = square(8);
    const Grid grid(chip);
    const Identifiability seen =
        identify(expand(map_network(graph, chip, {batch}, file), chip, file), grid, LinkRank::Skip);
    EXPECT_GE(seen.used_links, 0.9 * grid.link_count()) << "batch " << batch;
  }
}

}  // namespace
}  // namespace lento::chip
