// Several tiles share one way out of the chip: `bytes_per_cycle` in all, in turn, with back-pressure when the
// path is busy (a tile's FIFO fills and its stores wait). Programs that link Lento use it. `lento tile run`
// has one tile and drains it itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tile/unit/tile.h"

namespace lento::tile {

class OutputPath {
 public:
  OutputPath(std::vector<Tile*> tiles, uint32_t bytes_per_cycle);

  // Simulates one cycle. The bytes go to the next tiles in turn that have output.
  void step();

  const std::string& received(size_t tile) const {
    return received_[tile];
  }
  std::string take(size_t tile);
  uint64_t busy_cycles() const {
    return busy_;
  }
  uint64_t sent_bytes(size_t tile) const {
    return sent_[tile];
  }

 private:
  std::vector<Tile*> tiles_;
  uint32_t width_;
  size_t turn_ = 0;
  uint64_t busy_ = 0;
  std::vector<std::string> received_;
  std::vector<uint64_t> sent_;
};

}  // namespace lento::tile
