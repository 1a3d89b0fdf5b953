// Proves, before a program runs, that it cannot do harm (in the spirit of eBPF's verifier).
//
// Every path of the program's three regions, init, main and finish, is executed on abstract values
// (explorer.h). Where a branch can go both ways, both are followed and joined where they meet, so work grows
// with the longest path, not with the number of paths.
// Accepted means:
//   1. Every reachable word is a legal instruction, and there is a finish. No control flow leaves the code or
//      enters the body of a hardware loop. A jump through a register is a return, or goes to one of at most
//      four known addresses. There is no recursion.
//   2. Every load and store lies aligned inside the scratchpad, the IORegs (loads), the soft-logic registers,
//      the control registers (loads) or the FIFO window (stores). The stack pointer is put back at the end.
//   3. Every register is set before it is used. To save an unset register on the stack is no use, but the
//      value that is loaded from there, also in a later run, counts as unset.
//   4. Every region ends within 2^40 tile cycles, as proved in at most kStepLimit steps. The count of a
//      hardware loop is at most 2^20. hist.in, which waits for input, occurs in main only.
//   5. Inputs that come no closer than the declared arrival period are not dropped, or drops are declared. In
//      that case the share of dropped inputs over many runs is bounded, by how often main can take its
//      longest time (LongRuns).
//   6. Output is at most the declared number of bytes in the declared number of tile cycles (Image). The
//      bound is that of each run of main. When main writes output in some of its runs only, and a word of the
//      scratchpad decides in which, the bound is that of many runs. Such a word is a counter (64 bytes every
//      256 inputs count as 64/256 byte a run), its low bits (++n % 256 == 0), or the arrival time at the last
//      output (at most one output in each period).
//   7. No instruction writes the soft-logic registers of an image without soft logic, so data of the block
//      leaves through the output FIFO only.
//
// The content of the scratchpad between runs is computed too. All its words are known after loading. Main and
// finish are explored again from the contents that they leave, until these no longer change. Intervals that
// keep growing are extended to constants of the program (constants_of), so that the bounds of counters,
// indices and tables of constants hold from run to run. Cycles assume that the output path takes 4 bytes per
// cycle, and exclude the wait of hist.in for input.
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

// A branch on the path to a violation, and whether it was taken. Only branches that could go both ways are
// recorded.
struct BranchStep {
  uint32_t pc = 0;
  bool taken = false;
  bool operator==(const BranchStep&) const = default;
};

struct Violation {
  Rule rule = Rule::IllegalInstruction;
  uint32_t pc = 0;
  std::string text;                   // "store to 0x4000..0x40ff: IORegs are read only"
  std::vector<BranchStep> path = {};  // from the begin of the region
};

// Names a place in the code: "echo.c:7 (0x24)", or just "0x24".
using NamePlace = std::function<std::string(uint32_t pc)>;

// Returns "store bounds at 0x24: store to ..., by way of 0x10 (taken), mask or check the index ...".
std::string describe(const Violation& violation, const NamePlace& name = {});
// Returns advice for the author of a program that breaks the rule.
std::string_view way_out(Rule rule);

// The mix of runs of main that loses most inputs over time. A long run takes RegionReport::worst_cycles, and
// comes once in every_runs runs, or once in every_cycles tile cycles.
struct LongRuns {
  uint64_t every_runs = 1;    // 1: any run may be long
  uint64_t every_cycles = 0;  // 0: every_runs holds
  uint64_t short_cycles = 0;  // tile cycles of every other run
};

struct RegionReport {
  uint64_t worst_cycles = 0;  // from the first fetch to the return
  uint64_t best_cycles = 0;
  uint64_t worst_bytes = 0;  // into the output FIFO in one run
  // Bound of the output over many runs: bytes_per_run for each of them, window_bytes for each window_cycles
  // tile cycles, and `burst` bytes once.
  double bytes_per_run = 0;
  double window_bytes = 0;
  uint64_t window_cycles = 1;
  double burst = 0;
  uint64_t streamed = 0;  // most inputs that hist.in takes in one run
  uint64_t streamed_least = 0;
  uint64_t busy_cycles = 0;      // most cycles outside hist.in
  LongRuns long_runs;            // of main when inputs are dropped
  uint64_t lossless_period = 0;  // cycles between inputs at which none is dropped (path_cost.h)
  uint32_t stack_bytes = 0;
  uint64_t steps = 0;
};

struct VerifyReport {
  bool accepted = false;
  bool stopped = false;               // the user stopped the verifier, and nothing is proved
  std::vector<Violation> violations;  // the first of each region
  RegionReport init;
  RegionReport main;
  RegionReport finish;
  // When inputs come at the declared arrival period, at most the share predicted_drop_share of them, 0 to 1,
  // is dropped over many runs, and at most drop_burst inputs more over any time.
  double predicted_drop_share = 0;
  double drop_burst = 0;
  // The expected share of dropped inputs, 0 to 1, at the declared arrival period, for input queues of several
  // lengths.
  struct Expected {
    uint32_t queue = 0;
    double share = 0;
  };
  std::vector<Expected> expected_drops;
};

// The most steps in the last attempt to verify a program. A step is one instruction that is executed on
// abstract values, and copies of the state count by their size (Explorer::charge). The limit bounds time and
// memory.
inline constexpr uint64_t kStepLimit = 24'000'000;

// A variable of the program in the scratchpad, from its ELF file (data_objects in build.h). `low` is its
// first address.
struct DataObject {
  uint32_t low = 0;
  uint32_t bytes = 0;
  std::string name;
};

// Verifies an image. With `objects` (in the order of addresses), a load or store at a computed address must
// also stay in the variable that holds its lowest possible address.
VerifyReport
verify(const Image& image, const base::Progress& progress = {}, const std::vector<DataObject>& objects = {});

// Returns the tile cycles that main's worst path spends at each instruction (index: pc / 4). Empty when the
// image breaks a rule other than the rates, or when the path takes too many steps.
std::vector<uint64_t> worst_path(const Image& image, const base::Progress& progress = {});

// Returns plain text: whether the image is accepted, the violations, and the bounds of each region, one line
// each. The text is stable, because its digest is part of approvals.
std::string write_report(const VerifyReport& report);

}  // namespace lento::tile
