// How long bursts of a metric last without a break, and whether a deviation has outlasted them all.
//
// Where bursts are frequent, two of one machine can follow each other so closely that blocks of a window do
// not show the gap. Single samples do: a deviation that holds in every sample for longer than any burst yet
// seen of this machine or its peers, with a margin, is none of them. It may still be two that leave no sample
// between them. Bursts of lengths a and b, at a rate of r a machine, make unbroken deviations of s or more at
//   r^2 (a + b + one row - s)   a machine,
// and the mean of that over the lengths seen, times the machines, says how many such chains a day must be
// expected. What ended within the rows that are kept was a burst, believed or not, and teaches. The longest
// fades over days.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lento::fleet {

// Rows of one machine, oldest first: how far it was from its peers' median; NaN: no sample.
using Distances = std::span<const float>;

// Rows without a break in which the distance is a good part of `size` (of its sign), at their longest, and up
// to the last row. Two rows without a sample are no break.
struct UnbrokenRun {
  size_t rows = 0;
  bool from_the_start = false;  // of what is kept: it may have begun before
};
UnbrokenRun longest_run(Distances distances, double size);
UnbrokenRun last_run(Distances distances, double size);

class Outlast {
 public:
  // A deviation has ended; its rows and the ones around it.
  void learn(Distances distances, double row_s, int64_t now_ms);
  void pass(double hours) {
    hours_ += hours;
  }  // summed over machines

  // How long a run without a break must be here.
  double needed_s() const;
  // Chains of two bursts that last for `run_s` or more, expected on all of `machines` a day; `assumed` is the
  // number of bursts of a minute to reckon with beside those seen.
  double chains_a_day(double run_s, double row_s, size_t machines, double assumed) const;

  double longest_s() const {
    return longest_s_;
  }
  // Learned state as numbers and back; what is no such state changes nothing.
  std::vector<double> state() const;
  void restore(std::span<const double> state);

 private:
  double longest_s_ = 0;
  double count_ = 0;
  double hours_ = 0;
  std::vector<double> lengths_s_;  // the latest, a ring once full
  int64_t faded_ms_ = INT64_MIN;
};

}  // namespace lento::fleet
