// A recording in a temporary file, and the edges that a map delivers from it, for tests.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "tile/block/vcd.h"

namespace lento::tile {

struct VcdFile {
  std::string path =
      (std::filesystem::temp_directory_path() / ("lento-" + std::to_string(::getpid()) + ".vcd")).string();
  explicit VcdFile(const std::string& text) {
    base::write_file(path, text);
  }
  ~VcdFile() {
    std::filesystem::remove(path);
  }
};

inline const std::string kTop = "schema: lento.tile-map/1\n";

// Shows every delivered edge: (o)OFFSET for another clock, then valid:data of IORegs 0 and 1.
inline std::string edges_of(const std::string& text, const std::string& map, VcdReading* reading = nullptr) {
  const VcdFile file(text);
  base::ReadReport report;
  std::string seen;
  const VcdReading out = read_vcd(file.path, parse_signal_map(map, "map"), report, [&](const VcdCycle& c) {
    if (c.foreign)
      seen += "o" + std::to_string(int(c.offset * 100)) + "/";
    seen += std::to_string(c.valid) + ":" + std::to_string(c.data[0]) + "," + std::to_string(c.data[1]) + " ";
    return true;
  });
  if (reading)
    *reading = out;
  return seen;
}

}  // namespace lento::tile
