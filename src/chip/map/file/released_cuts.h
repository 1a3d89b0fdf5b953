// Cuts a part of a layer into sub-steps as the released example does (the mapping tool in the data set of the
// SLOTH paper, see released.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "chip/map/mapping.h"
#include "spec/chip.h"

namespace lento::chip {

using Fetch = std::array<int, 4>;  // pieces along B, K, H, W; sub-steps run along the last axis first

int64_t steps_of(const Fetch& fetch);

// Returns the part of a slice that sub-step `step` takes. `channels`: cut along the channels too, as outputs
// are. Precondition: no axis is cut into more pieces than it is long.
Slice cut(Slice slice, const Fetch& fetch, int64_t step, bool channels);
Slice cut_weights(Slice slice, const Fetch& fetch, int64_t step);

// Returns the layer's own cut, or, when a part of it exceeds a quarter of the scratchpad, one sample per step
// and, if needed, fewer output channels. Throws base::Error when a part is cut into more pieces than it
// holds.
Fetch fitted_fetch(const MappedLayer& layer, const spec::Chip& chip, const std::string& file);

}  // namespace lento::chip
