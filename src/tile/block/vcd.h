// Reads the signals of any design as the input of a tile, from a recording (VCD, FST) and a map from signals
// to IORegs (tile/block/signal_map.h). Names follow the rules of waveform viewers (tile/block/wave_names.h).
// Bits that are x, z, u, w or - read as 0, and weak h and l as 1 and 0.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/read_report.h"
#include "tile/block/clock_domain.h"
#include "tile/block/signal_map.h"

namespace lento::tile {

// The inputs at one clock edge. data[i] holds data when bit i of `valid` is set.
struct VcdCycle {
  uint32_t valid = 0;
  uint32_t data[32] = {};
  bool has_address = false;
  uint32_t address = 0;
  bool foreign = false;  // an edge of another clock than the block's
  // For an edge of another clock: the time since the block's last edge as a share of the block's cycle, from
  // 0 to below 1.
  double offset = 0;
};

// The times between two samples of the block's clock in which the recording was off ($dumpoff).
struct RecordingOff {
  uint64_t times = 0;
  uint64_t begin = 0;  // time stamps of the first
  uint64_t end = 0;
  double cycles = 0;  // of the block's clock in all of them, if it kept its period
};

// The result of reading: whether the whole file was read, which signals changed without being sampled, and
// how many inputs had unknown bits, may have been missed because a clock or a valid signal had or because the
// recording was off, or were dropped.
struct VcdReading {
  bool whole = true;  // false when `use` stopped the reading
  std::vector<UnsampledSignal> unsampled;
  uint64_t unknown_inputs = 0;      // valid inputs with bits that are neither 0 nor 1
  std::vector<std::string> absent;  // signals that the recording lacks (SignalMap::skips_absent)
  RecordingOff off;
  // Edges at which a valid signal that had been known was neither 0 nor 1, and times that a clock became so
  // after its first edge.
  uint64_t unknown_valids = 0;
  uint64_t unknown_clocks = 0;
  // Edges of other clocks that were dropped, because more than kMaxHeld fell into one cycle of the block.
  uint64_t late_edges = 0;
};

// Reads the file once in bounded memory. Calls `use` with the sampled inputs at each edge that the map
// selects of the block's clock and of the clocks that single inputs have of their own, until `use` returns
// false. Damaged changes, and those of identifiers that the
// header does not declare, are skipped and counted in `report`. Throws base::Error for an unreadable header,
// for a mapped signal that does not exist or is not unique, and for an incomplete FST. An FST file is
// recognised by its first bytes.
VcdReading read_vcd(
    const std::string& path,
    const SignalMap& map,
    base::ReadReport& report,
    const std::function<bool(const VcdCycle&)>& use);

}  // namespace lento::tile
