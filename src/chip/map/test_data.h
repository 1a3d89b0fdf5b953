// Small mappings for tests, and where the shared data folder is.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include "chip/map/mapping.h"
#include "spec/chip.h"

namespace lento::chip::test {

inline std::string shared_chip(const std::string& name) {
  const char* folder = std::getenv("LENTO_SHARED");
  return std::string(folder ? folder : "../shared") + "/data/chip/" + name;
}

// A chip of side x side cores.
inline spec::Chip square(int side) {
  spec::Chip chip;
  chip.width = chip.height = side;
  return chip;
}

inline bool readable(const std::string& path) {
  return std::ifstream(path).good();
}

// Two layers on two cores of one row, one segment: core (0,0) makes 4 samples of 1x8x8 from DRAM, core (1,0)
// reads them and writes to DRAM. The batch of 8 takes two passes.
inline Mapping two_layers() {
  const Slice feature{{{0, 4}, {0, 1}, {0, 8}, {0, 8}}};
  const Slice weight{{{0, 1}, {0, 1}, {0, 1}, {0, 9}}};
  const auto block = [](int x, const Slice& slice) {
    return std::vector<Block>{{{{x, 0}}, slice}};
  };
  Mapping mapping;
  mapping.name = "two";
  mapping.batch = 8;
  MappedLayer a;
  a.name = "a";
  a.samples_per_pass = 4;
  a.inputs = {{true, -1, block(0, feature)}};
  a.weights = {{true, block(0, weight)}};
  a.outputs = {{false, {1}, block(0, feature)}};
  MappedLayer b = a;
  b.id = 1;
  b.name = "b";
  b.kind = LayerKind::Pool;
  b.inputs = {{false, 0, block(1, feature)}};
  b.weights = {};
  b.outputs = {{true, {}, block(1, feature)}};
  mapping.layers = {a, b};
  return mapping;
}

// Returns a chip without random times: all rates and transit times are exact.
inline spec::Chip exact_chip(int width, int height, spec::Topology topology = spec::Topology::Mesh) {
  spec::Chip chip;
  chip.width = width;
  chip.height = height;
  chip.topology = topology;
  chip.network.transit_cv = 0;
  chip.core.rate_deviation = 0;
  return chip;
}

// One message of `bytes` from (0, 0) to `to`, and nothing else but the reads and writes around it.
inline Mapping one_message(int64_t bytes, Position to) {
  Mapping mapping = two_layers();
  mapping.batch = 1;
  const Slice slice{{{0, 1}, {0, 1}, {0, 1}, {0, bytes}}};
  for (MappedLayer& layer : mapping.layers) {
    layer.samples_per_pass = 1;
    layer.inputs[0].blocks[0].slice = slice;
    layer.outputs[0].blocks[0].slice = slice;
  }
  mapping.layers[1].inputs[0].blocks[0].cores = {to};
  mapping.layers[1].outputs[0].blocks[0].cores = {to};
  return mapping;
}

}  // namespace lento::chip::test
