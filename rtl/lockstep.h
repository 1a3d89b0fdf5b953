// The RTL and the C++ model of the tile, cycle by cycle side by side.
//
// Compared in every cycle: the instruction that leaves WB with its register and value, the program counter,
// STATUS, the valid bits of the IORegs, the bytes at the FIFO's front and how many wait, writes to the soft
// logic, every drop counter, the histogram's saturation, the fault. `memory_difference` compares the
// scratchpad.
#pragma once

#include <optional>

#include "rtl_tile.h"

namespace lento::tile {

class Lockstep {
 public:
  explicit Lockstep(uint32_t queue = 0);  // inputs that may wait, at most RtlTile::kQueue

  // Resets both, loads the image into both and starts its init.
  void load(const Image& image);
  // Image as a command to a tile in any state: the memories stay as they are, so the program must not have
  // stored into the scratchpad.
  void load_again() {
    step({nullptr, Command::Image});
  }

  // Runs one cycle. Returns false when the two differ now or did before.
  bool step(const Cycle& cycle);
  // Returns where the scratchpads differ, or "". Runs on until no store is in MEM.
  std::string memory_difference();

  bool same() const {
    return difference_.empty();
  }
  const std::string& difference() const {
    return difference_;
  }  // the first one, in words
  Tile& model() {
    return model_;
  }
  const RtlTile& rtl() const {
    return rtl_;
  }
  uint64_t compared() const {
    return compared_;
  }

 private:
  // Soft logic of eight registers that change by themselves and by writes.
  struct Registers : SoftLogic {
    std::array<uint32_t, kSoftRegs> values = {};
    std::optional<std::pair<unsigned, uint32_t>> written;
    void step(const TileInputs*) override {
    }
    uint32_t read(unsigned reg) override {
      return values[reg];
    }
    void write(unsigned reg, uint32_t value) override {
      written = {reg, value};
    }
  };

  void command(const Cycle& cycle);
  void expect(const char* what, uint64_t model, uint64_t rtl);
  void compare(const Retired& retired);

  Registers soft_;
  Image image_;
  Tile model_;
  RtlTile rtl_;
  uint64_t compared_ = 0;
  std::string difference_;
};

}  // namespace lento::tile
