// Places of the parts of a layer that is cut over all cores, in the order in which a plan takes cores.
// Internal to the mapper.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chip/map/plan/partition.h"

namespace lento::chip {

// Returns the place of part `index` of a layer of `parts` among `cores` in a row, evenly spread over all.
inline size_t core_in_sequence(int64_t index, int64_t parts, size_t cores) {
  return size_t(index) * cores / size_t(parts);
}

// Returns its index when parts are counted with those of the same samples, rows and columns one after the
// other. They need the same inputs, and exchange their results.
inline size_t stand_of(const Cut& cut, size_t index) {
  const auto channels = size_t(cut.parts[1]);
  const size_t below = size_t(cut.parts[2]) * size_t(cut.parts[3]);
  return (index / (below * channels) * below + index % below) * channels + index / below % channels;
}

// Numbers of blocks of cores that work side by side: along the batch, and along the rows of their common
// work.
struct BlocksOf {
  int64_t samples = 1;
  int64_t rows = 1;
};

// Returns the places of all parts, by index: those of stand_of first, then others, each once, that keep the
// results of a block in it where the rows of its share are the high or the low digits of an operation's.
// Heads of attention are channels of the result, so they come before rows.
std::vector<std::vector<uint32_t>> list_stands(const Cut& cut, const BlocksOf& blocks);

}  // namespace lento::chip
