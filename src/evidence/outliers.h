// Finds the few values that deviate from their peers, and the probability of such a deviation among healthy
// peers.
//
// The most deviating value is compared with the spread of the rest and then removed, and so on up to a
// quarter of the peers, so that two faulty parts do not hide each other. This is the generalised extreme
// Studentized deviate test (Rosner, Technometrics 25, 1983), with Student's t for the tail. It needs no
// tuned constant, because the spread is that of the peers. Assumption: values of healthy peers are normally
// distributed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace lento::evidence {

// Returns the probability that a t-distributed value with `freedom` degrees of freedom exceeds t.
double student_tail(double t, double freedom);

enum class Side {
  Low,
  High,
  Both
};

struct Outlier {
  size_t index = 0;
  double t = 0;            // distance from the peers in units of their spread
  double false_alarm = 1;  // probability that healthy peers contain such a value
};

// A lower bound of the spread, such as counting noise or the resolution of a display. `is_known` means that
// it follows from the kind of value: peers that are all equal (counters at zero) then have exactly this
// spread. Otherwise it is only another estimate of the spread.
struct Floor {
  double spread = 0;
  bool is_known = false;
};

// Returns the values that deviate to `side`, most deviating first. `false_alarms` is the largest probability
// that healthy peers yield one. Fewer than four values give no result, because they do not show a spread.
// Three suffice when the two others are equal and `floor.is_known`.
std::vector<Outlier>
outliers(std::span<const double> values, Side side, double false_alarms, Floor floor = {});

}  // namespace lento::evidence
