// Connects a tile to recorded inputs, to its output path and to a waveform file, and counts arrivals, queue
// lengths and losses for the diagnosis of the run (run.cc).
//
// Tile time follows the recording. A cycle of the block's clock is a fixed number of tile cycles. The inputs
// of an edge of the block's clock arrive in the first of them. Those of another clock arrive in the tile
// cycle in which their edge falls, or in the next one that is free. Up to 64 of them can wait.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tile/block/vcd.h"
#include "tile/rtl_run.h"
#include "tile/unit/tile.h"
#include "tile/unit/vcd_writer.h"

namespace lento::tile {

// Counts the inputs that pass the trigger, and compares the times between them with the declared arrival
// period.
struct Arrivals {
  uint64_t count = 0;
  uint64_t early = 0;             // inputs that came sooner than the declared period
  uint64_t least = UINT64_MAX;    // shortest time between two inputs, in tile cycles
  std::optional<uint64_t> first;  // tile cycle of the first input
  std::optional<uint64_t> last;
  std::optional<uint64_t> first_early;

  void record(uint64_t cycle, uint64_t declared);
};

class ConnectedTile {
 public:
  struct Options {
    uint32_t queue = 0;
    uint32_t tile_cycles = 1;
    std::string wave;       // path of the waveform file; "": none
    bool times = false;     // keep the times that cycle_of() needs
    RtlRun* rtl = nullptr;  // records the run for a replay on the RTL
  };
  ConnectedTile(const Options& options, const Image& image);

  void load(uint64_t patience);
  void feed(const VcdCycle& cycle);
  // Ends the run: lets the waiting inputs be taken and then main end and the finish region run, each of the
  // two in at most `patience` tile cycles. main_ends() then tells whether main and finish did.
  void finish(uint64_t patience);

  const Tile& unit() const {
    return unit_;
  }
  const Arrivals& arrivals() const {
    return arrivals_;
  }
  // Returns the largest number of inputs that waited in the input queue at once.
  size_t longest_queue() const {
    return longest_queue_;
  }
  bool init_ends() const {
    return init_ends_;
  }
  bool main_ends() const {
    return main_ends_;
  }
  double mean_main_cycles() const;
  // Returns the tile cycles of the whole recording for each of its inputs.
  double mean_gap() const {
    return double(recorded_) / double(std::max<uint64_t>(arrivals_.count, 1));
  }
  // The values that came for an IOReg which starts no main (input_mask), and those of them that came without
  // an input that starts one, so that the tile did not take them.
  struct SideInputs {
    uint64_t came = 0;
    uint64_t missed = 0;
  };
  const SideInputs& side_inputs(unsigned ioreg) const {
    return side_inputs_[ioreg];
  }
  uint64_t crossing_lost() const {
    return crossing_lost_;
  }
  // Returns the longest time, in tile cycles, between two inputs that the tile took or queued, of those with
  // a dropped input between them. 0 when none was dropped.
  uint64_t longest_hole() const {
    return longest_hole_;
  }
  const std::string& output() const {
    return output_;
  }
  // Returns the tile cycle after which output() held at least `bytes` bytes. Needs Options::times.
  uint64_t cycle_of(uint64_t bytes) const;

 private:
  void offer(TileInputs inputs);
  void step(const TileInputs* inputs);
  void count_arrival(uint64_t untriggered, uint64_t running);
  template <class Done>
  // Runs until done() is true or the tile is in state Error, at most `patience` tile cycles. Returns false
  // when neither came about.
  bool run_until(uint64_t patience, Done&& done) {
    for (uint64_t i = 0; i < patience && !done(); ++i) {
      if (unit_.status() == Status::Error)
        return true;
      step_next();
    }
    return done();
  }
  void run_cycle_until(uint32_t position);
  void step_next();

  Options options_;
  const Image& image_;
  Tile unit_;
  std::unique_ptr<VcdWriter> wave_;
  std::string output_;
  std::vector<std::pair<uint64_t, uint64_t>> drained_;  // output bytes so far, and the tile cycle
  Arrivals arrivals_;
  size_t longest_queue_ = 0;
  uint32_t position_ = 0;           // tile cycles done in the current block cycle
  std::optional<TileInputs> edge_;  // of the block's latest edge, until the cycle's first tile cycle
  bool began_ = false;              // the first block cycle
  uint64_t recorded_ = 0;           // tile cycles of all block cycles
  std::deque<TileInputs> crossing_;
  uint64_t crossing_lost_ = 0;
  std::array<SideInputs, kIoRegs> side_inputs_;
  uint64_t hole_began_ = 0;
  uint64_t longest_hole_ = 0;
  bool in_hole_ = false;
  bool init_ends_ = true;
  bool main_ends_ = true;
};

}  // namespace lento::tile
