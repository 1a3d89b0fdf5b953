// Where the parts of a layer that is cut over all cores stand in the order in which a plan takes cores.
// Internal to the mapper.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chip/map/plan/partition.h"

namespace lento::chip {

// Where part `index` of a layer of `parts` stands among `cores` in a row: evenly spread over all.
inline size_t core_in_sequence(int64_t index, int64_t parts, size_t cores) {
  return size_t(index) * cores / size_t(parts);
}

// Its index when parts are counted with those of the same samples, rows and columns one after the other: they
// need the same inputs, and exchange what they made of them.
inline size_t stand_of(const Cut& cut, size_t index) {
  const auto channels = size_t(cut.parts[1]);
  const size_t below = size_t(cut.parts[2]) * size_t(cut.parts[3]);
  return (index / (below * channels) * below + index % below) * channels + index / below % channels;
}

// How many blocks of cores work side by side: along the batch, and along the rows of what they share.
struct BlocksOf {
  int64_t samples = 1;
  int64_t rows = 1;
};

// Stands of all parts, by index: those of stand_of first, then others, each once, that keep what a block has
// made in it where the rows of its share are the high or the low digits of an operation's. Heads of attention
// are channels of what was made, so they come before rows.
std::vector<std::vector<uint32_t>> list_stands(const Cut& cut, const BlocksOf& blocks);

}  // namespace lento::chip
