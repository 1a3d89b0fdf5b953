// Reads a chip file and the deviations that it declares for single parts.
#pragma once

#include <string>
#include <vector>

#include "chip/map/twin.h"

namespace lento::chip {

struct ChipFile {
  Twin twin;                      // `own`: deviations that the file declares (chip/map/file/declared.h)
  std::vector<double> clocks_hz;  // by chip; empty: all run at the clock of the file
};

// Returns the chip of a file. Throws base::Error as spec::read_chip does.
ChipFile read_chip_file(const std::string& path);

}  // namespace lento::chip
