// A tap: a filter in front of an IOReg (input register of a tile) that lets events pass and counts them, as
// rtl/tap.sv does in hardware. A count is exact however late the tile's program reads it.
#pragma once

#include <cstdint>
#include <optional>

namespace lento::tile {

// An event is a sample, with its valid signals 1, at which (value & mask) == equals, or any value without
// `equals`. `when` restricts it to the first such sample after others (rising), the first other one after
// such samples (falling), or a sample with another masked value than the one before (change). The IOReg holds
// the masked value, the number of events so far, or the cycle of the input's clock, both modulo 2^32.
struct Tap {
  enum class When {
    Level,
    Rising,
    Falling,
    Change
  };
  enum class Take {
    Value,
    Count,
    Time
  };
  uint32_t mask = UINT32_MAX;
  std::optional<uint32_t> equals;
  When when = When::Level;
  Take take = Take::Value;
};

class TapFilter {
 public:
  // Returns the word for the IOReg when this sample is an event, else nothing. Call it once in each cycle.
  std::optional<uint32_t> take(const Tap& tap, bool valid, uint32_t data);
  uint32_t events() const {
    return events_;
  }

 private:
  bool matched_ = false;
  std::optional<uint32_t> last_;
  uint32_t events_ = 0;
  uint32_t samples_ = 0;
};

}  // namespace lento::tile
