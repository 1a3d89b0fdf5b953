// Random tile programs for the lock-step: whole images whose code branches, loops, faults and may never end.
// Only the cycle limit of the caller bounds them.
#pragma once

#include "base/rng.h"
#include "tile/seal/image.h"

namespace lento::tile {

struct ProgramMix {
  bool custom = true;  // the eight instructions of the tile
  bool inputs = true;  // IORegs, control registers, soft logic, hist.in
  bool stores = true;  // into the scratchpad
  bool wild = true;    // now and then: illegal words, accesses outside the map, jumps anywhere
};

Image random_image(base::Rng& rng, const ProgramMix& mix);

}  // namespace lento::tile
