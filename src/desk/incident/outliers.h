// Finds the few among peers that are unlike the others, and the share of healthy peers that look like that.
//
// The most deviating value is compared with the spread of the rest, then taken out, and so on up to a quarter
// of the peers, so that two faulty parts do not hide each other: the generalised extreme Studentized deviate
// (Rosner, Technometrics 25, 1983), with Student's t for the tail. It needs no constant: the spread is that
// of the peers. Assumption: the values of healthy peers scatter like a normal distribution.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace lento::desk {

// Probability that a t-distributed value with `freedom` degrees of freedom exceeds t.
double student_tail(double t, double freedom);

enum class Side {
  Low,
  High,
  Both
};

struct Outlier {
  size_t index = 0;
  double t = 0;            // distance in units of the peers' spread
  double false_alarm = 1;  // share of healthy sets of peers with one as far out
};

// A spread that the values have at least: counting noise, the grain of a display. It is known where it
// follows from the values' own kind, so that peers that are all equal have that spread and none smaller
// (counters at zero), and is otherwise one more estimate.
struct Floor {
  double spread = 0;
  bool is_known = false;
};

// The values that deviate to that side with at most `false_alarms`, most deviating first. Under four values
// nothing is named, since three leave no spread to compare with, unless the others are equal and the floor is
// known: then three are enough.
std::vector<Outlier>
outliers(std::span<const double> values, Side side, double false_alarms, Floor floor = {});

}  // namespace lento::desk
