// The recorded signals that a run needs: those of the map, their clocks, and the bits around them that may be
// clocks. Holds the current values of these alone, and tells ClockDomains their rising edges and changes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tile/block/clock_domain.h"
#include "tile/block/vcd_text.h"

namespace lento::tile {

// Up to 64 bits of a variable. Bit i of `unknown` is 1 when bit i of the variable is neither 0 nor 1, and
// `value` has 0 there.
struct Bits {
  uint64_t value = 0;
  uint64_t unknown = 0;
};

// A signal as slices of recorded variables, least significant first.
struct WatchedSignal {
  struct Part {
    size_t slot = 0;
    uint32_t at = 0;  // its lowest bit in the signal
  };
  std::vector<Part> parts;
  size_t domain_index = 0;  // in ClockDomains
};

class WatchedSignals {
 public:
  explicit WatchedSignals(const std::string& file)
      : file_(file) {
  }

  // Reads the header. To be called first.
  void declare(VcdText& text);
  // Add the lowest bit of a signal as a clock, or a signal that this clock samples, when it is new. `counts`
  // says that the signal decides on inputs, `once` that the clock samples at one of its two edges. Both throw
  // base::Error when there is no such signal (WaveNames::resolve).
  WatchedSignal add_clock(const std::string& name);
  WatchedSignal add_input(const std::string& name, const WatchedSignal& clock, bool once, bool counts);
  bool has(const std::string& name) const {
    return names_.has(name);
  }
  // Adds other variables that may be clocks. To be called after all signals were added.
  void add_other_clocks();

  void change(size_t variable, std::string_view digits);
  // Makes the changes of a time step the current values.
  void end_step(uint64_t time);

  Bits read(const WatchedSignal& signal) const {
    return read(signal, values_);
  }
  Bits read_next(const WatchedSignal& signal) const {
    return read(signal, next_);
  }
  bool has_changes() const {
    return !touched_.empty();
  }
  bool is_touched(const WatchedSignal& signal) const {
    return slots_[signal.parts[0].slot].is_touched;
  }
  ClockDomains& domains() {
    return domains_;
  }

 private:
  // A slice of a recorded variable, bits first to first + width - 1.
  struct Slot {
    uint32_t first = 0;
    uint32_t width = 1;
    bool is_touched = false;           // it changed in this time step
    std::optional<size_t> clock = {};  // in ClockDomains
    std::vector<size_t> inputs = {};   // indices of inputs_ that contain it
  };
  struct Input {
    WatchedSignal signal;
    bool once = true;
    uint64_t last_step = 0;  // with a change
  };
  size_t follow(size_t variable, uint32_t first, uint32_t width);
  WatchedSignal watch(const std::string& name);
  size_t clock_at(size_t slot, const std::string& name, bool certain);
  static Bits read(const WatchedSignal& signal, const std::vector<Bits>& values);

  const std::string& file_;
  const VcdText* text_ = nullptr;
  WaveNames names_;
  std::vector<std::vector<size_t>> slots_of_;  // by variable
  std::vector<Slot> slots_;
  std::vector<Bits> values_;  // by slot
  std::vector<Bits> next_;
  std::vector<size_t> touched_;                               // slots that changed in this time step
  std::map<std::pair<std::string, size_t>, size_t> by_name_;  // name and clock: index of inputs_
  std::vector<Input> inputs_;
  uint64_t step_ = 0;
  ClockDomains domains_;
};

}  // namespace lento::tile
