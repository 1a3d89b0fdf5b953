// Checks whether a data sheet is plausible, and whether it still describes the chip whose measured constants
// it uses.
//
// A sheet that is off by a thousand (MB/s for GB/s) reads well and predicts nonsense. Its values are held
// against those of all shipped sheets, and against the shipped sheet of its own name or family.
#pragma once

#include <string>
#include <vector>

#include "predict/hardware/system.h"

namespace lento::predict {

// Values that lie ten times beyond what the shipped sheets of the same name or family have, or all sheets for
// a chip of another name, in words: "memory_bandwidth 3.35 GB/s: shipped sheets have 320 GB/s to 8 TB/s".
std::vector<std::string> implausible_values(const System& system);

// Returns whether clock, units, caches, memory and peaks are within 25 % of the shipped sheet of the same
// name or family. True when there is no such sheet.
bool is_measured_chip(const System& system);

}  // namespace lento::predict
