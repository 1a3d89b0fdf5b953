// Cuts of one layer over cores, and the cost of each. Internal to the mapper.
#pragma once

#include <array>
#include <vector>

#include "chip/map/lower/layer_graph.h"
#include "spec/chip.h"

namespace lento::chip {

// The origin of a layer's inputs. It decides whether a core must hold all of them at once, and whether DRAM
// ports or links carry them.
enum class Supply : uint8_t {
  Dram,
  Cores
};

// One way to cut a layer for a given number of samples per pass.
struct Cut {
  std::array<int, 4> parts{1, 1, 1, 1};  // B, K, H, W
  std::array<int, 4> fetch{1, 1, 1, 1};  // sub-steps of a part
  int cores = 1;
  double core_cycles = 0;   // of the largest part, one pass
  double input_bytes = 0;   // all parts, one pass; halos and copies counted
  double weight_bytes = 0;  // all parts, one pass
  double score = 0;         // cycles: core_cycles plus the cut's time at DRAM and on the mesh; compares cuts
};

// Returns the positions of part i when `extent` positions are cut into `parts` nearly equal parts.
Range part_range(int64_t extent, int64_t parts, int64_t i);

// Lists cuts by rising number of cores and falling score. A cut with more cores is listed only when its score
// is lower by more than 0.5 %. Empty when the layer does not fit half of the scratchpad however it is cut.
std::vector<Cut> list_cuts(const Layer& layer, const spec::Chip& chip, int64_t samples, Supply supply);

// Lists all cuts of a layer that use at least half as many cores as the one with the most cores. Only
// `parts` and `cores` are set.
std::vector<Cut> list_full_cuts(const Layer& layer, const spec::Chip& chip, int64_t samples);

// Returns the input bytes that the part with output `box` needs for one sample.
int64_t input_bytes(const Layer& layer, const Box& box);

// Returns the bytes per cycle of all DRAM ports together.
double dram_bytes_per_cycle(const spec::Chip& chip);

// Returns the bytes per cycle that all links together deliver, an estimate for messages between successive
// layers of a segment.
double mesh_bytes_per_cycle(const spec::Chip& chip);

}  // namespace lento::chip
