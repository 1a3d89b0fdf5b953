// Finds mapped signals that are driven by another clock than the one that samples them. A signal changes at
// few distinct times after a rising edge of the clock that drives it, and at many after those of an unrelated
// clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lento::tile {

// A signal whose changes were partly lost between two samples.
struct UnsampledSignal {
  std::string signal;
  std::string clock;   // clock that samples the signal in the map
  std::string likely;  // clock that probably drives it
  uint64_t changes = 0;
  uint64_t lost = 0;
};

class ClockDomains {
 public:
  // Both return the index for the calls below.
  size_t add_clock(const std::string& name);
  size_t add_signal(const std::string& name, size_t clock);

  void rise(size_t clock, uint64_t time);
  void change(size_t signal, uint64_t time);
  void sample(size_t signal, uint64_t value);

  // Returns the signals that lost changes and that another clock than the sampling one probably drives.
  std::vector<UnsampledSignal> foreign() const;

 private:
  static constexpr size_t kMostDistances = 64;
  struct Clock {
    std::string name;
    std::optional<uint64_t> last_rise;
  };
  struct Signal {
    std::string name;
    size_t clock = 0;
    uint64_t changes = 0;
    uint64_t since_sample = 0;
    uint64_t lost = 0;
    std::optional<uint64_t> last_sample;
    std::vector<std::vector<uint64_t>> distances;  // by clock, each sorted and bounded
  };
  std::vector<Clock> clocks_;
  std::vector<Signal> signals_;
};

}  // namespace lento::tile
