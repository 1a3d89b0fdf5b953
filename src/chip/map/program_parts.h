// The work of every core for one pass of a layer, before messages and instructions are made from it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "chip/map/grid.h"
#include "chip/map/mapping.h"

namespace lento::chip {

// The work of one core for one pass of one layer.
struct PartPlan {
  struct Read {
    uint64_t bytes;
    bool weights;
    int source;          // index of the producing layer, -1: none
    int64_t end_sample;  // of the first pass
  };
  std::vector<Read> reads;
  uint64_t operations = 0;
  uint64_t output_bytes = 0;
  bool writes = false;
  // Channels by pass of the repetition.
  std::vector<std::vector<uint32_t>> receives;
  std::vector<std::vector<uint32_t>> sends;
};

struct LayerPlan {
  std::map<uint32_t, PartPlan> parts;  // by core
  uint32_t passes = 1;                 // of one repetition
};

// The segment that a layer belongs to. Precondition: the referenced objects outlive it.
struct SegmentOf {
  const Mapping& mapping;
  const Grid& grid;
  const std::unordered_map<int, int>& index_of;  // layer id -> index
  size_t begin;                                  // its first layer
  const std::string& file;                       // names the mapping in messages
};

// Returns the parts of layer `index`, with room for the channels of `passes` passes. Throws base::Error when
// it reads from DRAM what was never written there.
LayerPlan plan_layer(const SegmentOf& segment, size_t index, uint32_t passes);

}  // namespace lento::chip
