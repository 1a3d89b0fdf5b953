// A mapping: which core computes which part of which layer, and the source of its data. It is the content of
// the compact map format of Gemini (HPCA 2024) and of the released SLOTH example (docs/formats/map.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lento::chip {

struct Range {
  int64_t start = 0;
  int64_t end = 0;  // exclusive
  int64_t size() const {
    return end - start;
  }
};

// Axes of features: B, C, H, W. Axes of weights: 1, K, C_in, R*S.
using Slice = std::array<Range, 4>;

struct Position {
  int x = 0;
  int y = 0;
};

// One tensor slice and the cores that hold or need it. A block lists several cores when they need the same.
struct Block {
  std::vector<Position> cores;
  Slice slice;
};

struct InputFeature {
  bool from_dram = false;
  int source_layer = -1;  // -1: network input
  std::vector<Block> blocks;
};

struct OutputFeature {
  bool to_dram = false;
  std::vector<int> next;  // layer ids that consume it
  std::vector<Block> blocks;
};

struct WeightFeature {
  bool from_dram = true;
  std::vector<Block> blocks;  // empty: no weights
};

enum class LayerKind : uint8_t {
  Conv,
  Pool,
  FullyConnected,
  Elementwise,
  GroupConv,
  PointToPoint,
  Transpose
};

struct MappedLayer {
  int id = 0;
  std::string name;
  LayerKind kind = LayerKind::Conv;
  int group_count = 1;
  int segment = 1;                           // layer_group_id: segments run one after the other, from 1
  int64_t samples_per_pass = 1;              // layer_batch_size: a pass repeats batch / this many times
  std::array<int, 4> partition{1, 1, 1, 1};  // output_partition: parts along B, K, H, W
  std::array<int, 4> fetch{1, 1, 1, 1};      // input_fetch: sub-steps along B, K, H, W
  std::vector<InputFeature> inputs;
  std::vector<WeightFeature> weights;
  std::vector<OutputFeature> outputs;
};

struct Mapping {
  std::string name;
  int64_t batch = 1;
  std::vector<MappedLayer> layers;  // in layer order
};

}  // namespace lento::chip
