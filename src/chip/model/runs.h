// Adds the evidence of several runs of one mapping on one chip. A part that is slow in every run is certain
// after enough runs, even when no single run shows it.
#pragma once

#include <span>
#include <vector>

#include "chip/model/model.h"

namespace lento::chip {

struct PartInRuns {
  Component component;
  Effect effect;    // mean over the runs, each over its whole length
  double gain = 0;  // twice the log likelihood ratio of all runs together, to first order
  // Number of first runs after which the part stays certain. 0: it is not certain after all of them.
  int certain_after = 0;
};
// Returns the parts that have records in some run, largest gain first. A part is certain when its gain
// exceeds the threshold of a single run and its factor exceeds the tolerance with the lower end of its 90 %
// interval.
std::vector<PartInRuns>
parts_in_runs(const ChipModel& model, std::span<const ModelVerdict> runs, double tolerance = kTolerance);

}  // namespace lento::chip
