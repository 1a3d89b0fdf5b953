// The tile at cycle level: five-stage in-order core (IF ID EX MEM WB), histogram unit, triggers, STATUS
// machine.
//
// Timing, which rtl/tile.sv repeats cycle by cycle:
//   - one instruction per cycle with full forwarding. The user of a load or of hist.rd waits 1 cycle
//   - a taken branch or jump resolves in EX and loses 2 cycles. A jump outside the code faults in MEM
//   - loopi acts in ID, loop in EX after 1 lost cycle, and rounds have no bubbles
//   - hist.in waits in EX for data. hist.rd and emit wait in EX for values that are still in the pipeline of
//     the accumulators (1 and 2 cycles at most)
//   - emit holds EX one cycle per 4 bytes. A store into a full output FIFO holds all stages
//
// An input in cycle t starts main with its first fetch in t + 1. A region (init, main, finish) ends by a jump
// to 0x2000, the value of `ra` at its start. An input that comes while main runs goes into IORegs that a
// hist.in of this run has taken over and freed (streaming), or waits in the queue, or is dropped and counted.
// Inputs are taken in the order of arrival, and each keeps the cycle in which it arrived. The content of
// streaming registers is dropped when main returns, and the queue is dropped when a finish or another image
// begins.
//
// Not thread safe. Use one Tile per thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tile/seal/image.h"
#include "tile/unit/isa.h"
#include "tile/unit/memory.h"
#include "tile/unit/status.h"

namespace lento::tile {

enum class FaultCause : uint8_t {
  None,
  IllegalInstruction,
  LoadAddress,
  StoreAddress,
  FetchAddress
};
std::string_view fault_name(FaultCause cause);

struct Fault {
  FaultCause cause = FaultCause::None;
  uint32_t pc = 0;
  uint32_t address = 0;
};

// The instruction that left the stage WB in the last cycle.
struct Retired {
  bool valid = false;
  uint32_t pc = 0;
  uint8_t rd = 0;  // 0: no register written
  uint32_t value = 0;
};

struct TileOptions {
  uint32_t fifo_bytes = 64;  // output FIFO; at least 4
  uint32_t input_queue = 0;  // whole inputs that may wait while main runs (0: the paper's tile)
};

class Tile {
 public:
  explicit Tile(const TileOptions& options = {});

  // The host's commands (Bryt section 4.2), which take effect at the end of the next step(). Pause, resume
  // and finalize wait for the end of a region that runs. TS and TE are the start and stop address of the
  // trigger.
  void config_image(const Image& image);  // then init runs, then status Paused
  void config_start(uint32_t address);    // sets TS, then as resume()
  void config_stop(uint32_t address);     // sets TE
  void pause();
  void resume();
  void finalize();
  void reset();

  // Simulates one tile cycle. `inputs` is nullptr when no input comes from the block in it.
  void step(const TileInputs* inputs);

  // Removes and returns up to `bytes` bytes of the output FIFO.
  std::string drain(size_t bytes);
  size_t output_waiting() const {
    return memory_.fifo_.size();
  }

  size_t inputs_waiting() const {
    return queue_.size();
  }

  Status status() const {
    return status_;
  }
  bool idle() const {
    return !running_ && !draining();
  }  // no region runs and nothing is in the pipeline
  // Returns whether nothing but the number of the cycle changes until an input or a command comes.
  bool rests() const {
    return idle() && queue_.empty() && consumed_ == 0 && memory_.fifo_.empty() && !histogram_.busy() &&
           !memory_.soft && !has_command();
  }
  // Simulates so many tile cycles without input. Precondition: rests().
  void rest(uint64_t cycles);
  const Fault& fault() const {
    return fault_;
  }
  const Retired& retired() const {
    return retired_;
  }
  const TileCounters& counters() const {
    return memory_.counters;
  }
  const HistogramUnit& histogram() const {
    return histogram_;
  }
  TileMemory& memory() {
    return memory_;
  }
  const std::array<uint32_t, 32>& registers() const {
    return x_;
  }
  uint32_t fetch_pc() const {
    return pc_;
  }

 private:
  // A decoded instruction with the properties that the pipeline needs in every cycle, computed once when the
  // image is loaded.
  struct Slot {
    TileOp op;
    // Register numbers, 0 where not used.
    uint8_t rd = 0;
    uint8_t rs1 = 0;
    uint8_t rs2 = 0;
    bool is_load = false;
    bool is_store = false;
    bool is_alu_immediate = false;
    bool is_alu = false;
    bool answers_late = false;  // the result is available in MEM: a load or hist.rd
  };
  struct Decoded {
    bool valid = false;
    uint32_t pc = 0;
    const Slot* slot = nullptr;
  };
  struct Executed {
    bool valid = false;
    uint32_t pc = 0;
    const Slot* slot = nullptr;
    uint8_t rd = 0;
    uint32_t value = 0;
    uint32_t address = 0;
    bool bad_target = false;  // `address` is outside the code, so that it cannot be fetched
  };
  struct Loop {
    uint32_t start = 0;
    uint32_t end = 0;
    uint32_t left = 0;
  };
  enum class Region : uint8_t {
    Init,
    Main,
    Finish
  };

  bool draining() const {
    return memory_stage_.valid || write_back_.valid;
  }
  bool has_command() const {
    return want_image_ || want_resume_ || want_pause_ || want_finalize_ || want_reset_ || next_start_ ||
           next_stop_;
  }
  void start(Region region);
  void end_region();
  void raise(FaultCause cause, uint32_t pc, uint32_t address);
  void flush_front();

  // The stages of the pipeline from the last to the first. Those that return bool return false when the
  // stages before them must stall.
  bool access_memory();
  bool execute();
  bool execute_custom(const Decoded& now, Executed& out);
  bool execute_emit(uint32_t format);
  bool execute_stream(uint32_t pair);
  bool waits_for_histogram(const Decoded& now) const;
  void jump(uint32_t target, Executed& out);
  void decode();
  void fetch();
  void set_loop(uint32_t start, uint32_t length, uint32_t count);

  bool armed(const TileInputs& inputs);
  void accept(const TileInputs* inputs, Status before);
  // An input with the low 32 bits of the tile cycle in which it arrived.
  struct Arrived {
    TileInputs inputs;
    uint32_t cycle = 0;
  };
  uint32_t take_next(const TileInputs& next, Status before);
  void keep_or_drop(const TileInputs& inputs, Status before, bool queue_was_empty, bool taken);
  void abandon_queue(Drop cause);
  void latch(const TileInputs& inputs, uint32_t mask, uint32_t arrival);
  void drop(Drop cause) {
    ++memory_.counters.dropped[size_t(cause)];
  }
  void take_commands(Status before);

  TileOptions options_;
  TileMemory memory_;
  HistogramUnit histogram_;
  std::array<uint32_t, 32> x_ = {};
  std::vector<Slot> code_;
  Slot end_mark_;
  Slot bad_fetch_;
  Image image_;

  Status status_ = Status::Undefined;
  bool running_ = false;
  Region region_ = Region::Init;
  uint32_t pc_ = 0;
  Decoded fetched_;
  Decoded decoded_;
  Executed memory_stage_;
  Executed write_back_;
  // redirect_: the instruction in EX jumped in this cycle. fetch_waits_: `loop` is on its way from ID to EX,
  // so nothing is fetched.
  bool redirect_ = false;
  bool fetch_waits_ = false;
  std::array<Loop, kLoopDepth> loops_;
  unsigned loop_depth_ = 0;
  uint32_t emit_left_ = 0;
  std::string emit_bytes_;
  uint32_t stream_mask_ = 0;
  uint32_t consumed_ = 0;

  bool trigger_on_ = false;
  bool region_armed_ = true;
  bool want_image_ = false;
  bool want_resume_ = false;
  bool want_pause_ = false;
  bool want_finalize_ = false;
  bool want_reset_ = false;
  std::optional<Image> next_image_;
  std::optional<uint32_t> next_start_;
  std::optional<uint32_t> next_stop_;
  std::vector<Arrived> queue_;
  uint64_t main_began_ = 0;
  Fault fault_;
  Retired retired_;
};

}  // namespace lento::tile
