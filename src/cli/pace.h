// How fast long work goes and how long it will take, for the line that a terminal shows.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace lento::cli {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  // ", 120 a second, 3 min left"; "" in the first second of a stage, when nothing can be told yet.
  std::string words(std::string_view stage, double done, double total, Clock::time_point now = Clock::now());

 private:
  std::string stage_;
  Clock::time_point begun_;
  double first_ = 0;  // done when the stage was first seen
};

}  // namespace lento::cli
