// A chip as it is, where it is not as its file says: the file's numbers, fitted, and how much each part
// differs from them. What simulators run and detectors expect; chip/fit makes one from a run's records.
#pragma once

#include <vector>

#include "chip/map/faults.h"
#include "spec/chip.h"

namespace lento::chip {

// Times slower than the chip's number, by part; below 1: faster. An empty list: all 1. Links by link id of
// the grid, so both directions of a link have a number each.
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
