// The memory-mapped device behind host.h: registers in front of one Tile.
#pragma once

#include <functional>
#include <string>

#include "tile/unit/host.h"
#include "tile/unit/tile.h"

namespace lento::tile {

class Device {
 public:
  // Decides whether an image may be loaded (seal's decide()). Returns "" when it may, else the reason.
  using Gate = std::function<std::string(const std::string& image)>;

  Device(Tile& tile, Gate gate)
      : tile_(tile),
        gate_(std::move(gate)) {
  }

  void write(uint32_t offset, uint32_t value);
  uint32_t read(uint32_t offset) const;
  const std::string& refusal() const {
    return refusal_;
  }

  ypu_bus bus();

 private:
  void command(uint32_t value);
  void load(uint32_t bytes);

  Tile& tile_;
  Gate gate_;
  std::string window_;
  std::string refusal_;
  uint32_t argument_ = 0;
  static constexpr size_t kMaxImage = size_t{2} << 20;
};

}  // namespace lento::tile
