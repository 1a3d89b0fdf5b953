// Reads any design's own signals as the input of a tile: a VCD recording and a map from its signals to
// IORegs.
//
// Map (YAML, docs/formats/tile-map.md):
//   schema: lento.tile-map/1
//   clock: top.clk              # a rising edge is one cycle; values are those before the edge
//   address: top.core.pc        # optional: the ADDR input; an image's trigger looks at it
//   inputs:
//     - ioreg: 0                # 0..31
//       signal: top.core.pc     # up to 64 bits; the low 32 - at bits are used
//       at: 0                   # lowest bit in the IOReg, default 0. Several signals may share one IOReg
//       valid: top.core.commit  # optional: the IOReg holds new data when this is 1, else in every cycle
// Values x and z read as 0.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/read_report.h"

namespace lento::tile {

struct VcdMap {
  struct Input {
    uint32_t ioreg = 0;
    uint32_t at = 0;
    std::string signal;
    std::string valid;
  };
  std::string clock;
  std::string address;
  std::vector<Input> inputs;
};

VcdMap parse_vcd_map(const std::string& text, const std::string& file);

// The inputs of one clock edge. data[i] is valid when bit i of `valid` is set.
struct VcdCycle {
  uint32_t valid = 0;
  uint32_t data[32] = {};
  bool has_address = false;
  uint32_t address = 0;
};

// Reads the file once in bounded memory and calls `use` for each rising edge of the clock. Returns false when
// `use` returned false, which ends the reading. Damaged changes are skipped and counted. A header that cannot
// be read, or a mapped signal that does not exist, is base::Error.
bool read_vcd(
    const std::string& path,
    const VcdMap& map,
    base::ReadReport& report,
    const std::function<bool(const VcdCycle&)>& use);

}  // namespace lento::tile
