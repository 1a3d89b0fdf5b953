// Unrolls a mapping the way the released SLOTH example does it, for comparison with its published numbers:
// every sub-step reads its inputs and weights anew, a read names one part of one earlier layer and waits for
// the write of that part, and input_fetch is first cut further until a part fits a quarter of the scratchpad.
// Source: facts in the SLOTH release (specs of the data set).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/map/mapping.h"
#include "spec/chip.h"

namespace lento::chip {

struct ReleasedProgram {
  enum class Kind : uint8_t {
    Read,
    Write,
    Send,
    Receive,
    Compute
  };
  struct Instruction {
    uint64_t amount = 0;        // Compute: operations; others: bytes
    uint32_t layer = 0;         // index in layer_ids
    uint32_t needs = 0;         // completions of other instructions before it may start
    uint32_t partner_core = 0;  // Send, Receive: the core at the other end
    uint32_t partner = 0;       // Send: the Receive instruction there
    // The range in triggers of the instructions that its completion counts for.
    uint32_t triggers_begin = 0;
    uint32_t triggers_end = 0;
    Kind kind = Kind::Compute;
    LayerKind layer_kind = LayerKind::Conv;
  };
  struct Target {
    uint32_t core = 0;
    uint32_t instruction = 0;
  };

  std::string name;
  std::vector<int> layer_ids;
  std::vector<std::vector<Instruction>> cores;  // in program order
  std::vector<Target> triggers;

  uint64_t count(Kind kind) const;
  uint64_t count(LayerKind kind) const;  // computes of layers of that kind
};

// Returns the instructions of one inference. Throws base::Error when the mapping does not fit the chip or
// cannot be cut that way.
ReleasedProgram expand_released(const Mapping& mapping, const spec::Chip& chip, const std::string& file);

}  // namespace lento::chip
