// A tile on a bus, compiled by Verilator, with a host and a monitored block around it. The host is a model of
// a processor's bus master that waits at random, the block offers an input when the tile can take one.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "base/rng.h"
#include "tile/unit/memory.h"
#include "tile/unit/status.h"

class Vtile_axi_lite;
class Vtile_wishbone;
class Vtile_tilelink;

namespace lento::tile {

// One access of the host. A read of less than a word or a damaged one is for tests of errors.
struct Access {
  bool is_write = false;
  uint32_t offset = 0;
  uint32_t word = 0;
  uint32_t lanes = 0xf;  // bytes of the word
};

template <class Top>
class Board {
 public:
  explicit Board(uint64_t seed);
  ~Board();

  // Performs an access with random waits. Returns the word that was read (0 for a write), nullopt for a bus
  // error.
  std::optional<uint32_t> access(const Access& access);
  void offer(const TileInputs& inputs) {
    offered_.push_back(inputs);
  }
  // From now on the tile receives one input from `next` each cycle, whether it can take the input or not.
  void run_free(std::function<TileInputs()> next) {
    free_running_ = std::move(next);
  }
  bool idle() const {
    return offered_.empty();
  }
  bool irq() const;

 private:
  void tick();            // one cycle: the block's side is driven, the bus's signals stay
  void wait_at_random();  // some cycles without a request
  uint64_t some_cycles() {
    return rng_.below(4) == 0 ? rng_.below(6) : 0;
  }

  base::Rng rng_;
  std::unique_ptr<Top> top_;
  std::deque<TileInputs> offered_;
  std::function<TileInputs()> free_running_;
};

using AxiLiteBoard = Board<Vtile_axi_lite>;
using WishboneBoard = Board<Vtile_wishbone>;
using TileLinkBoard = Board<Vtile_tilelink>;

}  // namespace lento::tile
