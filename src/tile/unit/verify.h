// Proves, before a program runs, what it cannot do (in the spirit of eBPF's verifier; specs/tile.md section
// 6).
//
// Every path of init, main and finish is executed on abstract values (abstract_value.h). Where a branch can
// go both ways, both are followed to the place where they meet (immediate post-dominator) and joined there,
// so work grows with the longest path, not with the number of paths. Accepted means:
//   1. every reachable word is a legal instruction; no control flow leaves the code or enters the middle of a
//      hardware loop; jumps through registers are returns only; no recursion
//   2. every load and store lies aligned inside the scratchpad, the IORegs, the soft-logic registers, the
//   control
//      registers (loads) or the FIFO window (stores); the stack pointer is put back
//   3. every register is set before it is used (saving it on the stack is no use)
//   4. every loop ends: within kStepLimit steps, or by a hardware count of at most 2^20
//   5. worst-case cycles of main against the declared arrival period: drops are predicted; undeclared,
//   refused
//   6. output bytes against the declared rate
//   7. values from the block reach the output FIFO and the tile's own memory only, not the soft-logic
//   registers
//      of an image without soft logic
// Cycles assume the output path takes 4 bytes a cycle, and do not count waiting of hist.in for input.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tile/seal/image.h"

namespace lento::tile {

enum class Rule : uint8_t {
  IllegalInstruction,
  ControlFlow,
  IndirectJump,
  LoopBody,
  Recursion,
  LoadBounds,
  StoreBounds,
  Uninitialised,
  Unbounded,
  Stack,
  Arrival,
  OutputRate,
  Taint,
  FinishSize,
};
std::string_view rule_name(Rule rule);

struct Violation {
  Rule rule = Rule::IllegalInstruction;
  uint32_t pc = 0;
  std::string text;  // "store to 0x4000..0x40ff: IORegs are read only"
};

struct RegionReport {
  uint64_t worst_cycles = 0;  // from the first fetch to the return
  uint64_t best_cycles = 0;
  uint64_t worst_bytes = 0;  // into the output FIFO
  uint64_t streamed = 0;     // most inputs that hist.in takes
  uint32_t stack_bytes = 0;
  uint64_t steps = 0;  // abstract instructions executed
};

struct VerifyReport {
  bool accepted = false;
  std::vector<Violation> violations;  // the first of each region
  RegionReport init, main, finish;
  double predicted_drop_share = 0;  // of inputs at the declared arrival rate, 0 when main keeps up
};

inline constexpr uint64_t kStepLimit = 40'000'000;

VerifyReport verify(const Image& image);

// Plain text: what was proved and what was not, one line a rule. Stable: its digest goes into approvals.
std::string write_report(const VerifyReport& report);

}  // namespace lento::tile
