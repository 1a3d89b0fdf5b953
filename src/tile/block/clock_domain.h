// Finds mapped signals that are driven by another clock than the one that samples them. The times from a
// rising edge of a clock to a change of a signal take few distinct values when that clock drives the signal,
// and many when it does not. Changes between two samples that no sample shows count as lost, but not while a
// gated clock stands still, as SPI's does between two words. A `valid` signal of a slower clock holds over
// several edges of the sampling one, so that each of its inputs is taken more than once. So does one of a
// block whose own clock is a gated copy of the sampling one, while it stands still.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lento::tile {

// A signal that another clock than the sampling one probably drives, and of which changes were lost between
// two samples, or which shows its inputs more than once.
struct UnsampledSignal {
  std::string signal;
  std::string clock;     // clock that samples the signal in the map
  std::string likely;    // clock that probably drives it; "" when none in the recording does
  uint64_t changes = 0;  // changes since the first sample
  uint64_t lost = 0;     // changes that no sample shows
  uint64_t sampled = 0;  // of a signal with `counts`: samples that are not 0
  uint64_t meant = 0;    // the same at the rising edges of the likely clock
};

class ClockDomains {
 public:
  // Adds a clock and returns its index. A `certain` one samples signals or is named like a clock. Others are
  // clocks when they behave so: their rising edges come at multiples of one interval.
  size_t add_clock(const std::string& name, bool certain);
  // Adds a signal, with the index of the clock that samples it, and returns its index.
  size_t add_signal(const std::string& name, size_t clock);
  // Each sample of the signal that is not 0 takes an input.
  void set_counts(size_t signal) {
    signals_[signal].counts = true;
  }
  // Says that the clock stands in the signal's own scope.
  void add_local(size_t signal, size_t clock);

  // `time` is in units of the recording's time stamps.
  void rise(size_t clock, uint64_t time);
  void change(size_t signal, uint64_t time, uint64_t value);
  void sample(size_t signal, uint64_t time, uint64_t value);

  // Returns the shortest time between two rising edges of the clock, 0 before the second.
  uint64_t period(size_t clock) const {
    return clocks_[clock].period;
  }
  // Returns the signals that lost changes between samples, or took inputs more than once, and that another
  // clock than the sampling one probably drives.
  std::vector<UnsampledSignal> foreign() const;

 private:
  static constexpr size_t kMostDistances = 64;
  struct Clock {
    std::string name;
    bool certain = false;
    bool dismissed = false;
    std::optional<uint64_t> last_rise;
    uint64_t rises = 0;
    uint64_t odd = 0;     // intervals that are no multiple of the period
    uint64_t period = 0;  // shortest interval
    // By signal: changes before the first rising edge.
    std::vector<uint64_t> unrelated;

    bool is_regular() const;
  };
  // A clock in the scope of a signal, and the samples that are not 0 since whose predecessor it did not rise.
  struct Local {
    size_t clock = 0;
    uint64_t still = 0;
  };
  // The time between two samples of a signal, and the changes that neither of them shows.
  struct Gap {
    uint64_t time = 0;
    uint64_t hidden = 0;
  };
  struct Signal {
    std::string name;
    size_t clock = 0;
    std::vector<Local> locals;
    uint64_t changes = 0;
    uint64_t since_sample = 0;
    uint64_t lost = 0;
    bool counts = false;
    uint64_t value = 0;          // at present
    uint64_t sampled = 0;        // samples that are not 0
    std::vector<uint64_t> high;  // by clock: rising edges at which the signal was not 0
    std::optional<uint64_t> last_sample;
    uint64_t last_time = 0;                        // of the last sample
    Gap before, last;                              // the two latest gaps between samples
    std::vector<std::vector<uint64_t>> distances;  // by clock, each sorted and bounded
  };
  void note_interval(Clock& clock, uint64_t interval);
  void begin(size_t clock);
  size_t distances_to(size_t signal, size_t clock) const;
  size_t driver_of(size_t signal) const;
  bool has_no_driver(const Signal& signal) const;
  size_t gated_copy(const Signal& signal) const;

  std::vector<Clock> clocks_;
  std::vector<size_t> ticking_;  // clocks that rose and are not dismissed
  std::vector<Signal> signals_;
};

}  // namespace lento::tile
