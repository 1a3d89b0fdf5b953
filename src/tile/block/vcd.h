// Reads any design's own signals as the input of a tile: a recording (VCD, FST) and a map from its signals to
// IORegs (tile/block/signal_map.h). Names follow the viewers' rules (tile/block/wave_names.h). Bits that are
// x, z, u, w or - read as 0, weak h and l as 1 and 0.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/read_report.h"
#include "tile/block/clock_domain.h"
#include "tile/block/signal_map.h"

namespace lento::tile {

// The inputs of one clock edge. data[i] is valid when bit i of `valid` is set.
struct VcdCycle {
  uint32_t valid = 0;
  uint32_t data[32] = {};
  bool has_address = false;
  uint32_t address = 0;
  bool foreign = false;  // an edge of another clock than the block's
  double offset = 0;     // of a foreign edge: time since the block's last edge in its cycles, 0 to below 1
};

// A summary of what was read: whether it was the whole file, and which signals and edges gave no input.
struct VcdReading {
  bool whole = true;  // false when `use` ended it
  std::vector<UnsampledSignal> unsampled;
  uint64_t unknown_inputs = 0;  // valid inputs with bits that are neither 0 nor 1
  uint64_t late_edges = 0;      // foreign edges beyond what is held of one cycle of the block, not delivered
};

// Reads the file once in bounded memory and calls `use` for each edge of the clocks, until it returns false.
// Damaged changes are skipped and counted. A header that cannot be read, or a mapped signal that does not
// exist or is not unique, is base::Error. An FST is recognised by its first bytes.
VcdReading read_vcd(
    const std::string& path,
    const SignalMap& map,
    base::ReadReport& report,
    const std::function<bool(const VcdCycle&)>& use);

}  // namespace lento::tile
