// Shares an output path between tiles. In each cycle the tiles in turn send as much as the path has left, and
// the next cycle begins behind the last sender, so that no tile can starve another.
#include "tile/unit/verify/output_path.h"

#include <utility>

#include "base/error.h"

namespace lento::tile {

OutputPath::OutputPath(std::vector<Tile*> tiles, uint32_t bytes_per_cycle)
    : tiles_(std::move(tiles)),
      width_(bytes_per_cycle),
      received_(tiles_.size()),
      sent_(tiles_.size()) {
  LENTO_CHECK(!tiles_.empty() && width_ > 0, "an output path has tiles and a width");
}

void OutputPath::step() {
  uint32_t left = width_;
  const size_t first = turn_;
  for (size_t i = 0; i < tiles_.size() && left > 0; ++i) {
    const size_t at = (first + i) % tiles_.size();
    const std::string bytes = tiles_[at]->drain(left);
    if (bytes.empty())
      continue;
    left -= uint32_t(bytes.size());
    received_[at] += bytes;
    sent_[at] += bytes.size();
    turn_ = (at + 1) % tiles_.size();
  }
  busy_ += left < width_;
}

std::string OutputPath::take(size_t tile) {
  return std::exchange(received_[tile], {});
}

}  // namespace lento::tile
