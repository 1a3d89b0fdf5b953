// A chip as it is, where it differs from its file: the file's numbers, fitted, and how much each part differs
// from them. Simulators run it and detectors compare with it. chip/fit makes one from a run's records.
#pragma once

#include <vector>

#include "chip/map/faults.h"
#include "spec/chip.h"

namespace lento::chip {

// Factors of slowness relative to the chip's number, by part (below 1: faster). An empty list means all 1.
// Links are by link id of the grid, so both directions of a link have a number each.
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
