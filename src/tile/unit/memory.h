// The address space of a tile program (64 KiB), with the input registers (IORegs) and the output FIFO.
//
//   0x0000-0x1fff  code, not readable
//   0x4000-0x407f  IORegs, read only
//   0x4080         valid bits, read only
//   0x5000-0x501f  soft-logic registers
//   0x6000-0x602f  STATUS, TS, TE, ADDR, cycle, drops, arrival, read only
//   0x7000-0x7fff  host FIFO, write only: appends 1, 2 or 4 bytes
//   0x8000-0xffff  scratchpad
//
// A misaligned access is a fault. There is no path from here to the monitored block.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tile/unit/histogram.h"
#include "tile/unit/ypu_map.h"

namespace lento::tile {

inline constexpr uint32_t kIoBase = YPU_MAP_IO;
inline constexpr uint32_t kValidAddress = YPU_MAP_VALID;
inline constexpr uint32_t kSoftBase = YPU_MAP_SOFT;
inline constexpr uint32_t kControlBase = YPU_MAP_CONTROL;
inline constexpr uint32_t kControlBytes = YPU_MAP_CONTROL_BYTES;
inline constexpr uint32_t kFifoBase = YPU_MAP_OUT;
inline constexpr uint32_t kReturnAddress = YPU_MAP_CODE_BYTES;
inline constexpr unsigned kIoRegs = 32;
inline constexpr unsigned kSoftRegs = 8;

// The block's signals in one cycle of the block. data[i] is valid when bit i of `valid` is set.
struct TileInputs {
  uint32_t valid = 0;
  std::array<uint32_t, kIoRegs> data = {};
  bool has_address = false;  // the ADDR input is connected and carries `address`
  uint32_t address = 0;
};

// The soft logic: a small embedded FPGA, which gets the tile's inputs in every cycle and shares eight
// registers with the core.
class SoftLogic {
 public:
  virtual ~SoftLogic() = default;
  virtual void step(const TileInputs* inputs) = 0;  // nullptr: no input in this cycle
  virtual uint32_t read(unsigned reg) = 0;
  virtual void write(unsigned reg, uint32_t value) = 0;
};

// The reasons for which inputs that arrived were not processed.
enum class Drop : uint8_t {
  Running,
  Paused,
  Untriggered,
  Finalizing,
  Error
};
inline constexpr int kDrops = 5;
std::string_view drop_name(Drop drop);

struct TileCounters {
  // Tile cycles in total, and those in which a region of the program runs.
  uint64_t cycles = 0;
  uint64_t active_cycles = 0;
  uint64_t instructions = 0;
  // Inputs that the block offered, runs of main that an input started, and executions of hist.in that took an
  // input.
  uint32_t io_read = 0;  // IORegs that the program read, as bits
  uint64_t inputs = 0;
  uint64_t started = 0;
  uint64_t streamed = 0;
  std::array<uint64_t, kDrops> dropped = {};
  uint64_t starved_cycles = 0;  // tile cycles in which hist.in waited for input
  uint64_t output_stalls = 0;   // tile cycles in which the output FIFO was full
  uint64_t output_bytes = 0;
  uint64_t worst_main_cycles = 0;
  uint64_t total_dropped() const;
};

enum class Reach : uint8_t {
  Done,
  Full,
  Fault
};

class TileMemory {
 public:
  explicit TileMemory(uint32_t fifo_bytes = 64)
      : fifo_bytes_(fifo_bytes) {
  }

  Reach load(uint32_t address, unsigned size, uint32_t& value);  // zero-extended
  Reach store(uint32_t address, unsigned size, uint32_t value);
  bool room(uint32_t bytes) const {
    return fifo_.size() + bytes <= fifo_bytes_;
  }
  void push(const char* bytes, size_t count);

  std::array<uint32_t, kIoRegs> io = {};
  uint32_t valid = 0;
  uint32_t status = 0;
  uint32_t trigger_start = 0;
  uint32_t trigger_end = 0;
  uint32_t address = 0;
  uint32_t arrival = 0;  // low bits of the cycle in which the inputs in io arrived
  std::vector<uint8_t> scratchpad = std::vector<uint8_t>(0x8000);
  std::string fifo_;  // bytes not yet sent over the output path
  SoftLogic* soft = nullptr;
  TileCounters counters;

 private:
  uint32_t control(uint32_t offset) const;
  uint32_t read_io(uint32_t index);
  uint32_t fifo_bytes_;
};

}  // namespace lento::tile
