// Any bytes as a recording of a design; its first signals are a clock and an input.
#include "tile/block/vcd.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  static const lento::tile::SignalMap map = lento::tile::parse_signal_map(
      "schema: lento.tile-map/1\nclock: soc.clk\naddress: soc.bus.addr\ninputs:\n"
      "  - {ioreg: 0, signal: soc.bus.data, valid: soc.bus.valid}\n"
      "  - {ioreg: 1, signal: \"@n\", clock: {signal: soc.fast, edge: both}}\n"
      "  - {ioreg: 2, signal: \"soc.bus.q[1][3:0]\", tap: {equals: 3, when: rising, take: count}}\n",
      "map");
  if (std::string_view(reinterpret_cast<const char*>(data), size).substr(0, 1) == std::string_view("\0", 1))
    return 0;  // an FST is read by a child process
  try {
    lento::base::ReadReport report;
    uint64_t cycles = 0;
    lento::tile::read_vcd(file.fill(data, size), map, report, [&](const lento::tile::VcdCycle&) {
      return ++cycles < 10000;
    });
  } catch (const lento::base::Error&) {
  }
  return 0;
}
