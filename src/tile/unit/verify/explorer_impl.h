// The explorer of the paths of one region of a program, behind explorer.h. Branches, jumps and loops are in
// explorer_flow.cc, loads and stores in explorer_memory.cc, the changes of tracked cells
// (counters and clocks in the scratchpad) in explorer_track.cc.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "base/units.h"
#include "tile/unit/memory.h"
#include "tile/unit/verify/control_flow.h"
#include "tile/unit/verify/explorer.h"
#include "tile/unit/verify/explorer_state.h"
#include "tile/unit/verify/relation.h"
#include "tile/unit/verify/short_loops.h"

namespace lento::tile {

using riscv::Op;
using V = AbstractValue;

inline constexpr uint32_t kStackTop = kDataBase + kDataBytes;
inline constexpr uint64_t kLoopLimit = 1 << 20;
inline constexpr int kDepthLimit = 600;           // most branches that are open at once
inline constexpr uint32_t kFilling = 2;           // cycles after a take until accumulators can be read
inline constexpr uint64_t kMostRounds = 1 << 18;  // most loop rounds on one path
inline constexpr uint32_t kMostTable = 64;        // most cells of a table that are examined
// Costs of other work in instructions: a copy of the state, and one of a page of the scratchpad. For one
// instruction, kWordsAStep words of a table or pages of a range are examined.
inline constexpr uint64_t kCopySteps = 12;
inline constexpr uint64_t kPageSteps = 16;
inline constexpr uint64_t kWordsAStep = 32;
inline constexpr uint64_t kLookSteps = 1 << 16;
inline constexpr size_t kMostCompared = 8;
// Numbers of terms: the arrival time of main's input, and the first of a region. Words that only init stored
// keep its numbers.
inline constexpr uint32_t kArrivalNumber = 1;
inline constexpr uint32_t kFirstAfterInit = 1 << 30;

class Explorer {
 public:
  Explorer(
      const Region& region,
      const ExploreOptions& options,
      uint64_t& budget,
      const base::Progress& progress)
      : program_(region.program),
        kind_(region.kind),
        options_(options),
        short_loops_(region.program.code),
        budget_(budget),
        progress_(progress),
        cells_of_number_(kNumberSlots) {
  }

  Exploration explore(const Scratchpad& words);

 private:
  Exploration from_entry(const Scratchpad& words);

  PathCost new_cost() const {
    PathCost cost;
    if (options_.profile)
      cost.profile.resize(program_.code.size());
    if (!options_.tracked.empty())
      cost.kinds = {{std::vector<Change>(options_.tracked.size())}};
    return cost;
  }

  static void spend(PathCost& cost, uint32_t pc, uint64_t worst, uint64_t best) {
    cost.add_cycles(worst, best);
    if (!cost.profile.empty() && pc / 4 < cost.profile.size())
      cost.profile[pc / 4] += worst;
  }

  // Where a path ends: an instruction in the call at depth `depth`, or the return of that call (kExit).
  struct Stop {
    uint32_t index;
    size_t depth;
  };
  static bool reached(const State& s, const Stop& stop) {
    return s.calls.size() < stop.depth || (s.calls.size() == stop.depth && s.pc / 4 == stop.index);
  }

  // Subtracts work from the budget. An instruction is one step. Copies and ranges of words count by their
  // size.
  void charge(uint64_t steps, uint32_t pc) {
    steps_ += steps;
    if (steps > budget_)
      throw OutOfSteps{pc};
    budget_ -= steps;
    if (steps_ >= next_look_) {
      next_look_ = steps_ + kLookSteps;
      if (progress_.stopped())
        throw Stopped{};
    }
  }

  static void bound(const PathCost& cost, uint32_t pc) {
    if (cost.worst > PathCost::kMost)
      reject(Rule::Unbounded, pc, "the region may take more than 2^40 cycles");
  }

  const V& read(const State& s, unsigned reg, uint32_t pc) const {
    if (!s.x[reg].initialised) {
      reject(
          Rule::Uninitialised,
          pc,
          "register " + std::string(riscv::register_name(reg)) + " is used before it is set");
    }
    return s.x[reg];
  }

  static void write(State& s, unsigned reg, const V& value) {
    if (reg != 0)
      s.x[reg] = value;
  }

  // Gives an unknown value a number.
  void name(V& v) {
    if (v.term.number == 0 && !v.is_constant())
      v.term = {++numbers_};
  }

  // Returns the operands of an instruction, which get numbers. Rejects the program when one was never set.
  std::pair<V, V> named(State& s, const riscv::Instruction& n, uint32_t pc);

  // Returns the instruction at `pc`. Rejects the program when there is none.
  const TileOp& fetch(uint32_t pc, uint32_t from) {
    charge(1, from);
    if (pc / 4 >= program_.code.size())
      reject(Rule::ControlFlow, from, "execution leaves the code at " + base::hex(pc));
    const TileOp& op = program_.code[pc / 4];
    if (!op.legal())
      reject(Rule::IllegalInstruction, pc, "word " + base::hex(op.word) + " is no instruction of the tile");
    return op;
  }

  // Executes from `s` until `stop`, and adds the cost to `cost`.
  void run(State& s, const Stop& stop, int depth, PathCost& cost);

  // Executes a whole counted loop of arithmetic that begins here. Returns false when that would join paths
  // that must stay separate, or when cycles are counted for each instruction.
  bool short_loop(State& s, uint32_t from, const Stop& stop, PathCost& cost);

  static bool takes_values(const TileOp& op) {
    return op.custom == Custom::Hist || op.custom == Custom::HistIn;
  }

  // Adds the instruction's own cycle (stream() counts that of hist.in), and the time that hist.rd and emit
  // wait for earlier values.
  void count(State& s, const TileOp& op, PathCost& cost) const;

  // One of several paths that begin at the same instruction.
  struct Way {
    State state;
    PathCost cost;
    bool taken = false;  // of a branch
  };
  // Follows each way to `stop` and joins them there in `s` and `cost`. A single way is not followed.
  void follow(State& s, std::vector<Way> ways, const Stop& stop, int depth, PathCost& cost);

  static bool compares(const TileOp& op) {
    const Op o = op.base.op;
    return op.custom == Custom::None && op.base.rd != 0 &&
           (o == Op::Slt || o == Op::Slti || o == Op::Sltu || o == Op::Sltiu);
  }

  // Executes a branch, or a comparison whose results 0 and 1 are paths of their own. Where both outcomes are
  // possible, each is followed with the operands narrowed accordingly.
  void decide(State& s, const TileOp& op, int depth, PathCost& cost);

  // Narrows the values a and b, of registers or constants, by the outcome of a comparison, and everything
  // that derives from them. Returns whether the outcome is possible.
  bool learn(State& s, Op test, bool taken, V a, V b);
  // Narrows all registers and cells that derive from the number of `known`, and remembers it.
  void reflect(State& s, const V& known);
  // Returns a value narrowed by the compared values of the path.
  static V known_of(const State& s, V v);

  // Joins the state of a second path into `a`. Rejects the program when the two return to different places.
  // Changes of tracked cells that differ are added to the cost of each path first.
  void join_states(State& a, State& b, uint32_t pc, PathCost& cost_a, PathCost& cost_b);

  void check_target(uint32_t target, uint32_t pc) const {
    if ((target & 3) || target >= kCodeBytes)
      reject(Rule::ControlFlow, pc, "jump to " + base::hex(target) + ", outside the code");
    if (target / 4 < program_.in_body.size() && program_.in_body[target / 4])
      reject(Rule::LoopBody, pc, "jump into the body of a hardware loop");
  }

  // Goes to `target`: leaves the function when it is the return address.
  void take(State& s, uint32_t target, PathCost& cost);
  void jump(State& s, const TileOp& op, int depth, PathCost& cost);
  // Enters a function. Rejects recursion.
  void call(State& s, unsigned link, uint32_t target);

  // Executes a hardware loop. Its body holds no control flow except one inner loop. The body is executed
  // once, on registers and words that may hold anything that earlier rounds left, and its cost is multiplied
  // by the count. A first run without knowledge of the scratchpad finds the words that rounds store.
  // Invariant: a register or word that is set before the loop is not unset in it.
  void loop(State& s, const TileOp& op, PathCost& cost);
  void run_body(State& s, uint32_t length, PathCost& cost);
  void forget_stored(State& s, uint32_t length);

  bool uses(uint32_t index, unsigned reg) const {
    if (index >= program_.code.size())
      return false;
    const TileOp& next = program_.code[index];
    return (next.reads_rs1() && next.base.rs1 == reg) || (next.reads_rs2() && next.base.rs2 == reg);
  }

  // Returns whether the instruction after `pc`, or the first of the loop's next round, reads the register.
  bool uses_next(uint32_t pc, unsigned reg, uint32_t loop_start) const {
    return uses(pc / 4 + 1, reg) || (loop_start != kExit && uses(loop_start / 4, reg));
  }

  void straight(State& s, const TileOp& op, PathCost& cost, uint32_t loop_start = kExit);
  void arithmetic(State& s, const riscv::Instruction& n, uint32_t pc);
  void note_stack(const V& sp, uint32_t pc);
  void custom(State& s, const TileOp& op, uint32_t pc, PathCost& cost, uint32_t loop_start);
  void stream(State& s, const TileOp& op, uint32_t pc, PathCost& cost) const;

  static bool inside(const V& address, unsigned size, uint32_t base, uint32_t bytes) {
    return address.low >= base && uint64_t{address.high} + size <= uint64_t{base} + bytes;
  }

  static bool aligned(const V& address, unsigned size) {
    return ((address.zeros & (size - 1)) == size - 1);
  }

  static std::string extent(const V& address) {
    return address.is_constant() ? base::hex(address.low)
                                 : base::hex(address.low) + ".." + base::hex(address.high);
  }

  // Requires that a computed address stays inside the variable to which its base points.
  void check_object(const V& computed, unsigned size, Rule rule, uint32_t pc);
  // Returns the cells that an access may touch, by the congruence or the known low bits of its address. Empty
  // when there are more than kMostTable.
  static std::vector<uint32_t> cells_of(const V& address, unsigned size);

  V load(State& s, Op op, const V& address, uint32_t pc);
  V load_cell(State& s, uint32_t cell);
  // Executes a store. A register that was never set may be saved, but only as a whole word at a known
  // address on the stack, where the word remains marked as not set.
  void
  store(State& s, const riscv::Instruction& n, const V& address, uint32_t pc, PathCost& cost, bool may_save);
  void store_cell(State& s, unsigned from, uint32_t cell);
  void set_cell(State& s, uint32_t cell, const V& value) {
    charge(s.words.shares(cell_address(cell)) ? kPageSteps : 1, s.pc);
    s.words.set(cell, value);
  }

  // Remembers that a cell holds a value of this number.
  void note_cell(uint32_t number, uint32_t cell);

  // Adds the changes of the tracked cells since they were recorded last, and records their values.
  void add_changes(State& s, PathCost& cost);
  void record(State& s);
  Change change_of(const State& s, const Tracked& tracked, const V& before) const;
  // Suggests to track the cells that a compared value derives from.
  void suggest(const V& value, const V& other);

  const Program& program_;
  RegionKind kind_;
  ExploreOptions options_;
  ShortLoops short_loops_;
  uint64_t& budget_;
  const base::Progress& progress_;
  uint64_t steps_ = 0;
  uint64_t next_look_ = kLookSteps;
  uint32_t lowest_stack_ = kStackTop;
  uint32_t numbers_ = kArrivalNumber;
  std::set<uint32_t> changed_;  // cells that were stored to, without the stack
  std::set<Tracked> suggested_;
  std::bitset<Scratchpad::kPages> looked_at_;
  std::vector<BranchStep> path_;  // branches that are still open
  // Cells that were loaded or stored with a value of a number. Only a hint, because a later number replaces
  // an earlier one of the same slot, and cells change.
  static constexpr size_t kNumberSlots = 4096;
  struct CellsOfNumber {
    uint32_t number = 0;
    std::array<uint32_t, 4> cells = {};
  };
  std::vector<CellsOfNumber> cells_of_number_;
  // Addresses of stores, recorded while a loop's stores are collected.
  struct Range {
    uint32_t low;
    uint32_t high;
  };
  std::vector<Range> stored_;
  int open_loops_ = 0;
};

}  // namespace lento::tile
