// A chip as it really is: the numbers of its file after a fit, and the deviation of each part from them.
// Simulators run a twin and detectors compare with it. chip/model_twin.h makes one of the model that was
// fitted to a run.
#pragma once

#include <vector>

#include "chip/map/faults.h"
#include "spec/chip.h"

namespace lento::chip {

// Slowness of each part relative to the chip's number (below 1: faster). An empty list means that all are 1.
// Links are indexed by link id of the grid, so each direction has its own factor.
struct Deviations {
  std::vector<double> cores;
  std::vector<double> links;
  std::vector<double> memory_units;
  std::vector<double> ports;

  bool operator==(const Deviations&) const = default;
  static double of(const std::vector<double>& parts, size_t index) {
    return index < parts.size() ? parts[index] : 1;
  }
};

struct Twin {
  spec::Chip chip;
  Deviations own;
};

}  // namespace lento::chip
