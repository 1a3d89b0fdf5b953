// Whether a data sheet can be believed, and whether it is still the chip whose constants it names.
//
// A sheet that is off by a thousand (MB/s for GB/s) reads well and predicts nonsense. Its values are held
// against those of all shipped sheets, and against the shipped sheet of its own name or family.
#pragma once

#include <string>
#include <vector>

#include "predict/hardware/system.h"

namespace lento::predict {

// Values that lie ten times beyond what every shipped sheet has, in words: "memory_bandwidth 3.35 GB/s:
// shipped sheets have 320 GB/s to 8 TB/s".
std::vector<std::string> implausible_values(const System& system);

// Whether clock, units, memory and bandwidth are within a quarter of a shipped sheet of its name or family.
// True when no shipped sheet is called so: the system has nothing to differ from.
bool is_measured_chip(const System& system);

}  // namespace lento::predict
