// The connection of a design's signals to the IORegs (input registers) of a tile (YAML,
// docs/formats/tile-map.md):
//   schema: lento.tile-map/1
//   clock: top.clk              # a rising edge is one cycle, values are those before the edge
//   address: {signal: top.core.pc, valid: top.core.commit}  # optional: the ADDR input of the trigger
//   inputs:
//     - ioreg: 0                # 0..31
//       signal: top.core.pc     # up to 64 bits, the low 32 - at bits are used
//       at: 0                   # lowest bit in the IOReg, default 0. Several signals may share one IOReg
//       valid: top.core.commit  # optional: the IOReg holds new data when this is not 0, or none of a
//                               # list [top.awvalid, top.awready] is. Default: in every cycle
//       clock: {signal: top.fast, edge: both}  # optional: another clock than the block's
//       tap: {equals: 3, mask: 0xf, when: rising, take: count}  # optional: a filter before the tile
// A clock is a name, which means its rising edges, or a mapping with `edge`. A tap lets an input pass only at
// events, so that the tile needs no cycle for the others, and can count or time them exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tile/block/tap.h"

namespace lento::tile {

enum class Edge {
  Rising,
  Falling,
  Both
};

struct SignalMap {
  struct Clock {
    std::string signal;
    Edge edge = Edge::Rising;
    bool operator==(const Clock&) const = default;
  };
  struct Address {
    std::string signal;
    std::vector<std::string> valid;  // empty: valid in every cycle
  };
  struct Input {
    uint32_t ioreg = 0;
    uint32_t at = 0;
    std::string signal;
    std::vector<std::string> valid;
    std::optional<Clock> clock;
    std::optional<Tap> tap;
  };
  Clock clock;
  Address address;  // without a signal: not connected
  std::vector<Input> inputs;
  // An input or address is left out when the recording lacks its signal or its first `valid`, because a
  // preset describes channels and fields that not every block has. Without this it is an error.
  bool skips_absent = false;
};

SignalMap parse_signal_map(const std::string& text, const std::string& file);

}  // namespace lento::tile
