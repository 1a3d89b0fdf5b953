// A chip file as jobs take it: the chip, and what it says of single parts.
#pragma once

#include <string>
#include <vector>

#include "chip/map/twin.h"

namespace lento::chip {

struct ChipFile {
  Twin twin;                      // `own`: what the file declares, see chip/map/declared.h
  std::vector<double> clocks_hz;  // by chip; empty: all run at the chip's clock
};

// Throws base::Error as spec::read_chip does.
ChipFile read_chip_file(const std::string& path);

}  // namespace lento::chip
