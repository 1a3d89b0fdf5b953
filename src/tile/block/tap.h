// A tap: a filter in front of an IOReg (input register of a tile) that lets only samples with an event pass
// and counts them, as rtl/tap.sv does in hardware. The count is exact even when the tile's program reads it
// late.
#pragma once

#include <cstdint>
#include <optional>

namespace lento::tile {

// A sample matches when (value & mask) == equals, or always without `equals`. Samples that are not valid
// (signal_map.h) are passed over. `when` says which sample is an event: each that matches (level), the first
// that matches after others (rising), the first that does not match after matching ones (falling), or each
// that matches with another masked value than the sample before (change). `take` says what the IOReg gets:
// the masked value, the number of events so far, the number of the cycle of the input's clock, or the cycles
// since the event before (the first: since the begin), the latter three modulo 2^32. With `peak`
// only words pass that are above all before, at first above 0. All events are counted.
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
    Time,
    Gap
  };
  uint32_t mask = UINT32_MAX;
  std::optional<uint32_t> equals;
  When when = When::Level;
  Take take = Take::Value;
  bool peak = false;
};

class TapFilter {
 public:
  // Returns the word for the IOReg when this sample is an event, else nothing. To be called once in each
  // cycle of the input's clock, also when the sample is not valid.
  std::optional<uint32_t> take(const Tap& tap, bool valid, uint32_t data);
  // Says that samples are missing before the next one: it begins or ends no event, and the next event has no
  // gap.
  void skip_samples();
  uint32_t events() const {
    return events_;
  }

 private:
  bool matched_ = false;
  bool is_after_hole_ = false;  // no valid sample since skip_samples()
  bool gap_has_hole_ = false;   // no event since
  std::optional<uint32_t> last_;
  uint32_t events_ = 0;
  uint32_t samples_ = 0;
  uint32_t last_event_ = 0;  // its cycle
  uint32_t most_ = 0;        // the largest word that passed
};

}  // namespace lento::tile
