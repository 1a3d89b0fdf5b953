// Checks whether a data sheet is plausible, and whether it still describes the chip whose measured constants
// it uses.
//
// A sheet with a value wrong by a thousand (MB/s for GB/s) parses without an error and gives wrong
// predictions. Its values are compared with the shipped sheets of its name or family, or with all of them.
#pragma once

#include <string>
#include <vector>

#include "predict/hardware/system.h"

namespace lento::predict {

// Describes each value that lies more than ten times outside the range of the shipped sheets of the same name
// or family, or of all sheets when there is none: "memory_bandwidth 3.35 GB/s: shipped sheets have 320 GB/s
// to 8 TB/s".
std::vector<std::string> implausible_values(const System& system);

// Returns whether clock, units, caches, memory and peaks are within 25 % of the shipped sheet of the same
// name or family. True when there is no such sheet.
bool is_measured_chip(const System& system);

}  // namespace lento::predict
