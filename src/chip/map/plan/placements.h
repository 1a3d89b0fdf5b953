// Places of the parts of a layer that is cut over all cores, in the order in which a plan takes cores.
// Internal to the mapper.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chip/map/plan/partition.h"

namespace lento::chip {

// Returns the core, out of `cores`, of part `index` of a layer with `parts` parts, spread evenly.
inline size_t core_in_sequence(int64_t index, int64_t parts, size_t cores) {
  return size_t(index) * cores / size_t(parts);
}

// Returns the position of part `index` in the order in which parts with the same samples, rows and columns
// follow one another. Such parts need the same inputs and exchange their results.
inline size_t position_of(const Cut& cut, size_t index) {
  const auto channels = size_t(cut.parts[1]);
  const size_t below = size_t(cut.parts[2]) * size_t(cut.parts[3]);
  return (index / (below * channels) * below + index % below) * channels + index / below % channels;
}

// Numbers of blocks of cores that work at the same time: on different samples, and on different rows of the
// same samples.
struct BlocksOf {
  int64_t samples = 1;
  int64_t rows = 1;
};

// Lists placements, each the positions of all parts by index. The first is that of position_of(). The others
// exist when the parts along rows divide evenly among the blocks: in some, each block takes adjacent rows
// (the high digit of the row), in some every `blocks.rows`-th one (the low digit). Heads of attention are
// channels of the result, so channels come before rows within a block.
std::vector<std::vector<uint32_t>> list_placements(const Cut& cut, const BlocksOf& blocks);

}  // namespace lento::chip
