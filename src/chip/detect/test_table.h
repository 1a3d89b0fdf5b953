// Builds the Cells of a run by hand, for tests. Every row has in every bin the level of its path without
// other traffic. A slow component raises exactly the bins of its interval, by the amount that the path gives.
#pragma once

#include <cmath>
#include <vector>

#include "chip/detect/scan.h"
#include "chip/sketch/level.h"

namespace lento::chip::test {

struct Table {
  static constexpr uint64_t kBin = 1024;  // cycles

  explicit Table(size_t bins, int records = 4)
      : records_(records) {
    cells.bin_cycles = kBin;
    cells.bins = bins;
  }

  spec::Chip chip;
  Grid grid{chip};
  Cells cells;
  std::vector<Path> paths;
  std::vector<Baseline> baselines;

  // Adds the row of messages from one core to another, and returns its index.
  size_t message(int from, int to, double bytes = 4096) {
    return add({to, {chip::ProbeKind::Message, 12, uint16_t(from)}, bytes});
  }
  size_t read(int core, double bytes = 4096) {
    return add({core, {chip::ProbeKind::Read, 12, uint16_t(grid.port_of(core))}, bytes});
  }

  // Returns the level (log2 of cycles per byte plus level_offset(), octaves) of the transfers of a row
  // without other traffic when the component is slower by `factor`.
  float level(size_t row, const Component& component, double factor) const {
    const Row& r = cells.rows[row];
    return float(std::log2(paths[row].cycles(r.bytes, component, factor) / r.bytes)) + offset(r);
  }

  void slow(const Component& component, double factor, size_t first, size_t end) {
    for (size_t row = 0; row < paths.size(); ++row)
      if (paths[row].crosses(component))
        for (size_t b = first; b < end; ++b)
          cells.rows[row].cells[b].level = cells.rows[row].cells[b].lowest = level(row, component, factor);
  }

  ScanInput input() const {
    return {cells, paths, baselines};
  }
  std::vector<Component> components() const {
    return candidates(paths, grid);
  }
  // Returns a suspect whose interval is the time bins [first, end).
  static Suspect suspect(const Component& component, double factor, size_t first, size_t end) {
    Suspect s;
    s.component = component;
    s.factor = factor;
    s.begin = first * kBin;
    s.end = end * kBin;
    return s;
  }

 private:
  static float offset(const Row& row) {
    return float(level_offset(row.pattern.kind)) / kLevelsPerOctave;
  }

  size_t add(Row row) {
    paths.emplace_back(chip, grid, row.pattern, row.core);
    const float healthy = float(std::log2(paths.back().cycles(row.bytes) / row.bytes)) + offset(row);
    row.cells.assign(cells.bins, Cell{healthy, healthy, records_});
    row.count = cells.bins * uint64_t(records_);
    row.lowest = healthy;
    cells.rows.push_back(row);
    Baseline base;
    base.level.assign(cells.bins, healthy);
    base.lowest = healthy;
    baselines.push_back(base);
    return cells.rows.size() - 1;
  }

  int records_;
};

}  // namespace lento::chip::test
