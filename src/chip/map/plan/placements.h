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

// Returns the position of a part when parts with the same samples, rows and columns are counted one after
// the other. Such parts need the same inputs and exchange their results.
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

// Lists the placements of all parts by index. The first is that of position_of. The others keep the results
// of a block inside it when the rows of its share are the high or low digits of an operation's rows. Heads of
// attention are channels of the result, so they come before rows.
std::vector<std::vector<uint32_t>> list_placements(const Cut& cut, const BlocksOf& blocks);

}  // namespace lento::chip
