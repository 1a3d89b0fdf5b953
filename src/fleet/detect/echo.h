// What a machine's noise in one window says of its noise in the next.
//
// Problem: iterations of the job beat with the sampling. A machine that a window shows high for that reason,
// the next shows low, and of a window alone nobody can tell such a beat from a fault.
// Idea: regress the changes D of all machines on their changes one whole window earlier, A, and take off what
// follows from A:  e = D - b A,  b = sum D A / sum A^2, only where it is negative (beats cancel; drifts,
// which a lasting fault resembles, are left alone). |A| counts up to kEcho standard deviations, so that a
// window after a fault or a burst is not made to look like one. Noise that has no memory gives b = 0. Cost:
// one number a machine and evaluation of a window.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

namespace lento::fleet {

class Echo {
 public:
  // `lag` evaluations make a whole window.
  explicit Echo(size_t lag);

  // What is to be expected of machine m in this window, from the one before; 0 where nothing is known.
  double of(size_t m) const;

  // One evaluation: the changes of all machines, NaN where there is none.
  void see(std::vector<float> change);

  double slope() const;

  // Learned numbers, to survive a restart.
  static constexpr size_t kNumbers = 4;
  std::vector<double> state() const;
  void restore(std::span<const double> state);

 private:
  void learn(const std::vector<float>& change);

  size_t lag_;
  std::deque<std::vector<float>> earlier_;  // the last `lag` evaluations, oldest first
  double with_earlier_ = 0;                 // running means, pooled over machines, of D A
  double square_ = 0;                       // and of A^2
  double count_ = 0;
  double pairs_ = 0;  // that taught
};

}  // namespace lento::fleet
