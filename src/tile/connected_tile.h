// A tile connected to recorded inputs, its output path and its waveform, with the counts that a verdict
// needs.
//
// Tile time follows the recording: the inputs of an edge of the block's clock come in the first tile cycle of
// a block cycle, and those of another clock in the tile cycle in which its edge falls, or in the next free
// one. A crossing holds up to 64 of them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tile/block/vcd.h"
#include "tile/unit/tile.h"
#include "tile/unit/vcd_writer.h"

namespace lento::tile {

// Compares the inputs with the declared period. Only inputs that pass the trigger count.
struct Arrivals {
  uint64_t count = 0;
  uint64_t early = 0;           // came sooner than declared after the one before
  uint64_t least = UINT64_MAX;  // shortest time between two
  std::optional<uint64_t> first;
  std::optional<uint64_t> last;
  std::optional<uint64_t> first_early;

  void record(uint64_t cycle, uint64_t declared);
  double mean_gap() const;
};

class ConnectedTile {
 public:
  struct Options {
    uint32_t queue = 0;
    uint32_t tile_cycles = 1;
    std::string wave;    // path, "" for none
    bool times = false;  // for cycle_of()
  };
  ConnectedTile(const Options& options, const Image& image);

  void load(uint64_t patience);
  void feed(const VcdCycle& cycle);
  // Empties the queue, lets main end within `patience` cycles, then runs finish.
  void finish(uint64_t patience);

  const Tile& unit() const {
    return unit_;
  }
  const Arrivals& arrivals() const {
    return arrivals_;
  }
  // The most inputs that waited at once.
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
  uint64_t crossing_lost() const {
    return crossing_lost_;
  }
  // Longest time between two inputs that were taken, while inputs were dropped between them.
  uint64_t longest_hole() const {
    return longest_hole_;
  }
  const std::string& output() const {
    return output_;
  }
  // The tile cycle after which output() had `bytes` bytes.
  uint64_t cycle_of(uint64_t bytes) const;

 private:
  void offer(TileInputs inputs);
  void step(const TileInputs* inputs);
  void follow_arrival(uint64_t untriggered, uint64_t running);
  template <class Done>
  bool run_until(uint64_t patience, Done&& done) {
    for (uint64_t i = 0; i < patience && !done(); ++i) {
      if (unit_.status() == Status::Error)
        return true;
      step_next();
    }
    return done();
  }
  void step_next();

  Options options_;
  const Image& image_;
  Tile unit_;
  std::unique_ptr<VcdWriter> wave_;
  std::string output_;
  std::vector<std::pair<uint64_t, uint64_t>> drained_;  // bytes so far, cycle
  Arrivals arrivals_;
  size_t longest_queue_ = 0;
  uint32_t position_ = 0;  // tile cycles of this block cycle that are done
  std::deque<TileInputs> crossing_;
  uint64_t crossing_lost_ = 0;
  uint64_t hole_began_ = 0;
  uint64_t longest_hole_ = 0;
  bool in_hole_ = false;
  bool init_ends_ = true;
  bool main_ends_ = true;
};

}  // namespace lento::tile
