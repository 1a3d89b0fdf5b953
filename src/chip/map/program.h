// A mapping unrolled to the instructions of every core: reads, receives, computes, writes, sends, with their
// routes and dependencies.
//
// Layers of one segment repeat together: one repetition ("super pass") covers the least common multiple of
// their passes. A core's program is, segment by segment, one template that repeats, so memory does not grow
// with the batch or with the number of inferences. Inside a template instructions form tiles:
//
//   tile = (Receive | Read)* Compute (Write | Send)*
//
// The compute waits for the inputs before it, and the outputs wait for the compute. Bytes are those of the
// mapping, per pass: weights are read again every pass, and every listed core reads its own copy. Sub-steps
// (input_fetch) cut reads, computes and writes, and never read anything twice. A message is one pair of
// producer and consumer pass. Data that crosses segments goes through DRAM. Such a read waits until the
// producer layer has written all repetitions that hold its samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/map/grid.h"
#include "chip/map/mapping.h"
#include "spec/chip.h"

namespace lento::chip {

enum class Action : uint8_t {
  Read,
  Receive,
  Compute,
  Write,
  Send
};

struct Instruction {
  uint64_t amount = 0;  // Compute: operations; others: bytes
  uint32_t layer = 0;   // index in Program::layers, as recorded (Send: the consumer's)
  uint32_t target = 0;  // Receive, Send: channel; Read: wait (kNoWait: none); Compute, Write: 0
  uint16_t step = 0;    // position among the layer's steps in one repetition
  Action action = Action::Compute;
  bool first = false;  // opens a tile
};

struct Program {
  static constexpr uint32_t kNoWait = UINT32_MAX;

  struct Layer {
    int id = 0;
    std::string name;
    LayerKind kind = LayerKind::Conv;
    int segment = 0;
    uint32_t repeats = 1;  // per inference
    uint32_t steps = 1;    // per repetition
    uint32_t writes = 0;   // Write instructions of one repetition, all cores
  };
  struct Section {  // one segment on one core
    // The range of instructions.
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t repeats = 1;
  };
  struct Channel {  // the messages of one Send instruction, one a repetition
    // The cores at both ends.
    uint32_t from = 0;
    uint32_t to = 0;
    uint32_t receive = 0;  // index of the receive instruction on the receiving core
    uint32_t route = 0;    // index into routes
    uint32_t credits = 2;  // repetitions that may be sent before the receiver has used the first
  };
  struct Wait {               // a read in repetition r waits until `layer` has written needed(r) repetitions
    uint32_t layer = 0;       // the producer, index into layers
    uint32_t end_sample = 0;  // end of the samples that repetition 0 of the reader needs
    uint32_t per_repeat = 0;  // samples of one repetition of the reader
    uint32_t samples = 1;     // of one repetition of `layer`
    // Returns how many repetitions `layer` must have written before repetition r of the reader may start.
    uint64_t needed(uint64_t r) const {
      return (r * per_repeat + end_sample + samples - 1) / samples;
    }
  };
  struct Route {
    // The range of hops.
    uint32_t begin = 0;
    uint32_t end = 0;
  };

  std::string name;
  int64_t batch = 1;
  std::vector<Layer> layers;
  std::vector<Instruction> instructions;
  std::vector<Section> sections;
  std::vector<uint32_t> first_section;  // of each core, and one past the last
  std::vector<Channel> channels;
  std::vector<Wait> waits;
  std::vector<Route> routes;
  std::vector<Grid::Hop> hops;
  // The route of each core to and from its DRAM port.
  std::vector<uint32_t> to_port;
  std::vector<uint32_t> from_port;

  // Sums over one inference.
  struct Totals {
    uint64_t reads = 0;
    uint64_t receives = 0;
    uint64_t computes = 0;
    uint64_t writes = 0;
    uint64_t sends = 0;
    uint64_t dram_bytes = 0;
    uint64_t message_bytes = 0;
    uint64_t operations = 0;
  };
  Totals totals() const;
};

// Expands a mapping. Throws base::Error when it does not fit the chip, reads from DRAM what was never written
// there, or is too large (2^27 instructions). `file` names the mapping in messages.
Program expand(const Mapping& mapping, const spec::Chip& chip, const std::string& file);

}  // namespace lento::chip
