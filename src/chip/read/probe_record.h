// A record that a probe on an accelerator core writes: one for each operation, for each transfer from or to
// DRAM, and for each message at its receiver. The layout on disk and on chip is these 40 bytes,
// little-endian, in this order (docs/formats/probe.md).
#pragma once

#include <cstdint>

namespace lento::chip {

enum class ProbeKind : uint8_t {
  Compute = 0,  // an operation on the core's compute unit
  Message = 1,  // a core-to-core transfer, recorded where it is received
  Read = 2,     // a transfer from a DRAM port into the core's scratchpad
  Write = 3,    // a transfer from the core's scratchpad to a DRAM port
};

struct ProbeRecord {
  uint64_t begin = 0;      // cycles: Compute: start of service; others: first byte leaves the source
  uint64_t end = 0;        // cycles: Compute: done; others: last byte at the destination
  uint64_t work = 0;       // Compute: operations; others: bytes
  uint32_t layer = 0;      // layer id in the mapping (transfers: the consumer's; writes: the producer's)
  uint32_t inference = 0;  // counts from 0
  uint16_t core = 0;       // recording core: y * width + x (released preset: see chip/map)
  uint16_t peer = 0;       // Message: sending core; Read/Write: DRAM port; Compute: 0
  ProbeKind kind = ProbeKind::Compute;
  uint8_t op = 0;     // LayerKind of the layer (chip/map/mapping.h)
  uint16_t step = 0;  // index of the repetition (pass) inside one inference; wraps at 65,536
};
static_assert(sizeof(ProbeRecord) == 40);

// Receives records as they are made. A recorder may cost core cycles and may drop records.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  struct Outcome {
    uint32_t cost_cycles = 0;  // cycles that the recording core spends on the record
    bool dropped = false;
  };
  virtual Outcome record(const ProbeRecord& record) = 0;
};

}  // namespace lento::chip
