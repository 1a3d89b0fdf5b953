// Computes the rate of long work and the time left, for the progress line of a terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace lento::cli {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  // Returns ", 120 a second, 3 min left", or "" in the first second of a stage, when the rate is not measured
  // yet.
  std::string words(std::string_view stage, double done, double total, Clock::time_point now = Clock::now());

 private:
  std::string stage_;
  Clock::time_point begun_;
  double first_ = 0;  // done when the stage was first seen
};

}  // namespace lento::cli
