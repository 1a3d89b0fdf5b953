// Runs a tile's RTL under Verilator on what a run of its model saw in each cycle, and compares the two.
//
// The run is recorded and replayed, because Verilator compiles the design when the user asks for it (half a
// minute). The record, of little-endian words: all 2,048 words of code and 8,192 of the scratchpad, the main
// entry, whether a trigger is set, the input mask, the trigger's start and end, and the length of the input
// queue. Then, for each cycle, four bytes: the command (number in bus/registers.csv, plus 8 with inputs), the
// bytes that leave the output FIFO, STATUS plus 16 when an instruction retired, and the bytes that wait
// after the cycle. Inputs follow as valid bits, address, one byte for whether there is an address, and a word
// for each valid bit.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/file.h"
#include "finding/finding.h"
#include "tile/unit/tile.h"
#include "tile/unit/tool.h"

namespace lento::tile {

inline constexpr size_t kPathBytes = 4;  // most bytes that leave the output FIFO in a tile cycle

// Commands of the host, numbered as the register COMMAND (rtl/bus/registers.csv).
enum class HostCommand : uint8_t {
  None = 0,
  Image = 1,
  Resume = 5,
  Finalize = 6
};

inline constexpr uint32_t kRtlQueue = 4;  // most inputs that the RTL lets wait (parameter QUEUE)

class RtlRun {
 public:
  // Throws base::Error when the RTL has no queue of this length.
  RtlRun(const Image& image, uint32_t queue);

  // Records a cycle of the model that ended: its inputs (nullptr: none) and the bytes that are taken from the
  // output FIFO after it.
  void record(const Tile& unit, const TileInputs* inputs, size_t taken);
  // Gives the command of the cycle that is recorded next.
  void command(HostCommand command) {
    command_ = command;
  }

  struct Outcome {
    uint64_t cycles = 0;
    uint64_t different = 0;  // cycles with another STATUS, retirement or number of waiting bytes
    uint64_t first_different = 0;
    std::array<uint64_t, kDrops> dropped = {};
    std::string output;
  };
  // Builds the RTL and replays the cycles. Throws base::Error when Verilator is absent or fails.
  Outcome replay();

 private:
  void add_word(uint32_t word);

  TempFolder folder_;
  base::OutputFile record_;
  HostCommand command_ = HostCommand::Image;
  size_t take_ = 0;     // bytes that leave in the coming cycle
  size_t waiting_ = 0;  // bytes left after the last recorded cycle
  uint8_t state_ = 0;
};

// Adds what the replay showed: a fact when the RTL did the same, else a finding.
void add_rtl_outcome(
    const RtlRun::Outcome& rtl,
    const Tile& unit,
    const std::string& output,
    finding::Diagnosis& d);

}  // namespace lento::tile
