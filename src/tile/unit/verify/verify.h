// Proves, before a program runs, what it cannot do (in the spirit of eBPF's verifier).
//
// Every path of init, main and finish is executed on abstract values (explorer.h). Where a branch can
// go both ways, both are followed to the place where they meet (immediate post-dominator) and joined there,
// so work grows with the longest path, not with the number of paths. Accepted means:
//   1. every reachable word is a legal instruction, and there is a finish; no control flow leaves the code or
//      enters the middle of a hardware loop; jumps through registers are returns only; no recursion
//   2. every load and store lies aligned inside the scratchpad, the IORegs, the soft-logic registers, the
//      control registers (loads) or the FIFO window (stores); the stack pointer is put back
//   3. every register is set before it is used; saving it on the stack is no use, but what is loaded from
//      there, also in a later run, is not set either
//   4. every region ends: within kStepLimit steps and 2^40 cycles, hardware counts of at most 2^20; hist.in,
//      which waits for input, stands in main only
//   5. inputs that come no closer than the declared arrival period are not dropped, or drops are declared;
//      the predicted share bounds them in every run
//   6. output bytes stay below the declared rate: those of each run of main, or, when a counter in the
//      scratchpad vouches for it, those of many runs (a summary every 256 inputs counts as its 256th part a
//      run)
//   7. nothing reaches the soft-logic registers of an image without soft logic: what comes from the block
//      leaves through the output FIFO only
// What the scratchpad holds between runs is found too: all its words are known after loading; main and finish
// are explored again from what they leave, with intervals that grow to constants of the program, until
// nothing changes. Counters, indices and tables of constants so keep their bounds from run to run. Cycles
// assume the output path takes 4 bytes a cycle, and do not count waiting of hist.in for input.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/progress.h"
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

// A branch on the way to a violation that could go both ways, and the way it went.
struct BranchStep {
  uint32_t pc = 0;
  bool taken = false;
};

struct Violation {
  Rule rule = Rule::IllegalInstruction;
  uint32_t pc = 0;
  std::string text;                   // "store to 0x4000..0x40ff: IORegs are read only"
  std::vector<BranchStep> path = {};  // from the region's begin
};

// Names a place in the code: "echo.c:7 (0x24)", or just "0x24".
using NamePlace = std::function<std::string(uint32_t pc)>;

// "store bounds at 0x24: store to ...; by way of 0x10 (taken); mask or check the index ..."
std::string describe(const Violation& violation, const NamePlace& name = {});
// What a program's author can do about it.
std::string_view way_out(Rule rule);

struct RegionReport {
  uint64_t worst_cycles = 0;  // from the first fetch to the return
  uint64_t best_cycles = 0;
  uint64_t worst_bytes = 0;  // into the output FIFO, by one run
  // Over many runs: bytes_in_parts / parts a run, and in sum at most `burst` bytes more.
  uint64_t bytes_in_parts = 0;
  uint64_t parts = 1;
  double burst = 0;
  double bytes_per_run() const {
    return double(bytes_in_parts) / double(parts);
  }
  uint64_t streamed = 0;  // most inputs that hist.in takes
  uint64_t streamed_least = 0;
  uint64_t busy_cycles = 0;      // most cycles outside hist.in
  uint64_t lossless_period = 0;  // inputs at least so many cycles apart are never dropped (path_cost.h)
  uint32_t stack_bytes = 0;
  uint64_t steps = 0;
};

struct VerifyReport {
  bool accepted = false;
  bool stopped = false;               // the user asked to stop: nothing is proved
  std::vector<Violation> violations;  // the first of each region
  RegionReport init;
  RegionReport main;
  RegionReport finish;
  double predicted_drop_share = 0;  // at most, of inputs at the declared arrival rate; 0 when main keeps up
};

// Abstract instructions, and copies of the state by their size, before a program is refused. Bounds time and
// memory: whatever is to be refused is so within a second.
inline constexpr uint64_t kStepLimit = 24'000'000;

// A variable of the program, from its ELF file (data_objects in build.h).
struct DataObject {
  uint32_t low = 0;
  uint32_t bytes = 0;
  std::string name;
};

// With `objects` (by address), a load or store at a computed address must also stay in the variable in which
// it begins.
VerifyReport
verify(const Image& image, const base::Progress& progress = {}, const std::vector<DataObject>& objects = {});

// Cycles of main's worst path by instruction (index: pc / 4); empty when the image is not accepted or it is
// too long to follow.
std::vector<uint64_t> worst_path(const Image& image, const base::Progress& progress = {});

// Plain text: what was proved and what was not, one line a rule. Stable: its digest goes into approvals.
std::string write_report(const VerifyReport& report);

}  // namespace lento::tile
