// Computes the likelihood of recorded tails of waits, on a healthy fabric and when a slow component delays
// some of them. The tail of a wait is the time from its last issue to its end. A sort is a group of equal
// waits (ComparedWait::pattern).
//
//   x_i   log of recorded over modelled tail of wait i
//   c_p   correction that all waits of sort p share: the error of the model, estimated
//   s_p   spread of the rest, estimated from the sort and, where it has few waits, from all; Student with
//         kTails degrees of freedom (density t, distribution T)
//   b_i   log of the tail that the slow part alone would give wait i, over the modelled tail
//   u     spread of that, chosen by the likelihood
//
// A wait ends at the later of two times, its healthy end and the end of the slow part's transfers. Its
// density is therefore
//   t((x - c) / s) / s · T((x - b) / u)  +  t((x - b) / u) / u · T((x - c) / s)
// A recorded end before its bound b is evidence against the slow part, as strong as ends at their bounds are
// evidence for it. The second term over the sum is the probability that the slow part ended the wait. c and s
// are estimated from the waits that the slow part does not delay, by a few rounds of expectation and
// maximisation. Cost of a fit: some hundred operations per wait.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace lento::chip {

struct EndsFit {
  double likelihood = 0;
  double spread = 0;             // of all residuals
  double waits_ended = 0;        // sum of `share`
  std::vector<double> centre;    // c, by sort
  std::vector<double> spreads;   // s, by sort
  std::vector<double> share;     // by wait: probability that the slow component ended it
  std::vector<double> residual;  // by wait: log of recorded over predicted end, for the cause that ended it
};

class Ends {
 public:
  // Bound b of a wait that no transfer of the slow component belongs to.
  static constexpr double kFree = -std::numeric_limits<double>::infinity();

  // `log_ratio` holds by wait the log of the recorded over the modelled tail (x above), and `sort` the group
  // of equal waits that it belongs to, 0 to `sorts` - 1. Corrections are errors of the model and lower the
  // likelihood. With `free_correction` they do not: when tails are compared with those of an earlier run,
  // these errors cancel.
  Ends(std::vector<double> log_ratio, std::vector<uint32_t> sort, uint32_t sorts, bool free_correction);

  const EndsFit& healthy() const {
    return healthy_;
  }
  // Fits a slow component. `bound` holds by wait the log of the tail that the component alone would cause
  // over the modelled tail, or kFree when none of the wait's transfers pass it. `slow_spread` holds by wait
  // the standard deviation of the log of recorded over modelled tail around `bound`. They are b and u of the
  // formulas above.
  EndsFit fit(const std::vector<double>& bound, const std::vector<double>& slow_spread) const;

 private:
  void centre(EndsFit& fit) const;
  void weigh(EndsFit& fit, const std::vector<double>& bound, const std::vector<double>& slow_spread) const;

  std::vector<double> x_;
  std::vector<uint32_t> sort_;
  std::vector<std::vector<uint32_t>> of_sort_;  // waits of each sort, sorted by x
  bool free_correction_ = false;
  EndsFit healthy_;
};

}  // namespace lento::chip
