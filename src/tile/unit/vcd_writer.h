// Writes the tile's own signals as a VCD for any wave viewer: state, fetch address, retired instructions,
// bytes in the output FIFO, and dropped inputs.
#pragma once

#include <string>

#include "base/file.h"
#include "tile/unit/tile.h"

namespace lento::tile {

class VcdWriter {
 public:
  explicit VcdWriter(const std::string& path);
  void sample(const Tile& tile);  // after each step(); one time unit a cycle
  void commit() {
    file_.commit();
  }

 private:
  static constexpr int kSignals = 8;
  base::OutputFile file_;
  uint64_t time_ = 0;
  uint32_t last_[kSignals] = {};
};

}  // namespace lento::tile
