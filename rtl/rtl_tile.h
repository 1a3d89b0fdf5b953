// The tile's RTL, compiled by Verilator, behind the types of the C++ model.
#pragma once

#include <memory>
#include <string>

#include "tile/unit/tile.h"

class Vtile;

namespace lento::tile {

// The host's commands, numbered as the register COMMAND (bus/registers.csv).
enum class Command : uint8_t {
  None,
  Image,
  Start,
  Stop,
  Pause,
  Resume,
  Finalize,
  Reset
};

// Inputs of the tile in one cycle.
struct Cycle {
  const TileInputs* inputs = nullptr;  // nullptr: the block has nothing
  Command command = Command::None;
  uint32_t argument = 0;  // address of Start and Stop
  uint32_t take = 0;      // bytes the output path takes, 0..4; more than there is takes all
};

class RtlTile {
 public:
  RtlTile();  // after power-on reset
  ~RtlTile();

  // Loads code memory and scratchpad with the image's content, one word per cycle, only words that differ.
  // Returns the cycles. The tile must be UNDEFINED. The header's fields follow with Command::Image.
  uint64_t load(const Image& image);

  static constexpr uint32_t kQueue = 4;  // the RTL's parameter QUEUE
  void set_queue(uint32_t limit);        // how many inputs may wait

  // Sets the ports of the coming cycle and evaluates the logic. Outputs that depend on them may then be
  // read.
  void settle(const Cycle& cycle, const std::array<uint32_t, kSoftRegs>& soft);
  void clock();

  std::string front(size_t bytes) const;  // the oldest bytes of the output FIFO, at most 4
  size_t waiting() const;
  bool soft_writes() const;
  unsigned soft_index() const;
  uint32_t soft_word() const;
  Status status() const;
  uint32_t fetch_pc() const;
  uint32_t io_valid() const;
  uint32_t arrival() const;  // of what the IORegs hold
  uint32_t dropped(Drop cause) const;
  bool saturated() const;
  Fault fault() const;
  Retired retired() const;
  bool store_in_mem() const;  // its word is in the RTL's scratchpad already, in the model's one cycle later
  uint32_t scratchpad_word(size_t index) const;

 private:
  void write(bool code, uint32_t word_address, uint32_t word);
  std::unique_ptr<Vtile> rtl_;
};

}  // namespace lento::tile
