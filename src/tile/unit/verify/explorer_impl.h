// The explorer of the paths of one region of a program, behind explorer.h. Branches, jumps and loops are in
// explorer_flow.cc, loads and stores in explorer_memory.cc, the changes of tracked cells (Tracked) in
// explorer_track.cc. To reject a program is to throw a Violation.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/units.h"
#include "tile/unit/memory.h"
#include "tile/unit/verify/explorer.h"
#include "tile/unit/verify/explorer_state.h"
#include "tile/unit/verify/relation.h"

namespace lento::tile {

using riscv::Op;
using V = AbstractValue;

inline constexpr uint32_t kStackTop = kDataBase + kDataBytes;
inline constexpr uint64_t kLoopLimit = 1 << 20;
inline constexpr uint32_t kMostBranches =
    600;  // most open branches of a path, and paths that are joined at one place
inline constexpr uint32_t kHistogramLatency = 2;  // cycles after a take until accumulators can be read
inline constexpr uint64_t kMostRounds = 1 << 18;  // most loop rounds on one path
inline constexpr uint32_t kMostTable = 64;        // most cells of a table that are examined
// Costs of work in steps. Executing one instruction is one step, a copy of the state kCopySteps, and a copy
// of a page of the scratchpad kPageSteps. A load or store at an address that is not constant costs one step
// for each kPagesPerStep pages in its range.
inline constexpr uint64_t kCopySteps = 12;
inline constexpr uint64_t kPageSteps = 16;
inline constexpr uint64_t kPagesPerStep = 32;
inline constexpr uint64_t kLookSteps = 1 << 16;  // between two checks whether the user requested a stop
inline constexpr size_t kMostCompared = 8;       // most values in State::compared
// Two values of Term::number: that of the arrival time of the input which started main, and the last one
// before those that main and finish assign. Init assigns smaller ones, which stay in the words that only init
// stored and must not be assigned again.
inline constexpr uint32_t kArrivalNumber = 1;
inline constexpr uint32_t kLastInitNumber = 1 << 30;

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
        budget_(budget),
        progress_(progress),
        cells_of_number_(kNumberSlots) {
  }

  Exploration explore(const Scratchpad& words);

 private:
  Exploration from_entry(const Scratchpad& words);
  Exploration at_return(Path path);

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

  // Subtracts steps of work (kCopySteps) from the budget. Throws OutOfSteps with `pc` when too few are left,
  // and Stopped when the user requested a stop.
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

  // Gives a value that is not constant and has no term a new number as its term.
  void name(V& v) {
    if (v.term.number == 0 && !v.is_constant())
      v.term = {++numbers_};
  }

  // Returns the operands of an instruction, after name() gave terms to the registers that hold them. Rejects
  // the program when one was never set.
  std::pair<V, V> named(State& s, const riscv::Instruction& n, uint32_t pc);

  // Returns the instruction at `pc`, which follows the one at `from`. Rejects the program when `pc` is
  // outside the code or the word there is no legal instruction.
  const TileOp& fetch(uint32_t pc, uint32_t from) {
    charge(1, from);
    if (pc / 4 >= program_.code.size())
      reject(Rule::ControlFlow, from, "execution leaves the code at " + base::hex(pc));
    const TileOp& op = program_.code[pc / 4];
    if (!op.legal())
      reject(Rule::IllegalInstruction, pc, "word " + base::hex(op.word) + " is no instruction of the tile");
    return op;
  }

  // Executes a path until it ends, splits, or has to wait for others.
  void run(Path path);

  // Keeps a path until all with an earlier place have been executed, joined with one at the same place.
  // Rejects the program when too many paths are joined there, which a loop without a known bound leaves.
  void wait(Path path);
  // Updates the place of a path that went on from the instruction at `from`, when `calls` calls were open.
  // Returns whether it must wait now.
  bool arrive(Path& path, uint32_t from, size_t calls);
  // Changes the part of a place from index `begin` on from that of instruction `from` to that of `to`.
  void move(std::vector<uint32_t>& place, size_t begin, uint32_t from, uint32_t to) const;
  // Copies a path. With Join::AtEnd the copy is never joined with it before the function's return.
  Path split(const Path& path, uint32_t pc);

  static bool takes_values(const TileOp& op) {
    return op.custom == Custom::Hist || op.custom == Custom::HistIn;
  }

  // Adds the cycle of the instruction itself (stream() adds that of hist.in), and the most cycles that
  // hist.rd and emit wait for values in the histogram pipeline (State::histogram_wait, which is updated).
  void count(State& s, const TileOp& op, PathCost& cost) const;

  static bool compares(const TileOp& op) {
    const Op o = op.base.op;
    return op.custom == Custom::None && op.base.rd != 0 &&
           (o == Op::Slt || o == Op::Slti || o == Op::Sltu || o == Op::Sltiu);
  }

  // Executes a branch, or with Join::AtEnd a comparison (compares()), whose results 0 and 1 are then separate
  // paths. Where both outcomes are possible, each is a path of its own that waits, with the operands narrowed
  // by it. Returns whether `path` goes on.
  bool decide(Path& path, const TileOp& op);

  // Narrows a and b, values of registers or constants, by the outcome `taken` of the comparison `test`, and
  // with them all values over the same numbers (reflect). Returns whether the outcome is possible.
  bool learn(State& s, Op test, bool taken, V a, V b);
  // Narrows all values in `s` over the number of `known` (Term) by the bounds of `known`, and adds `known` to
  // s.compared.
  void reflect(State& s, const V& known);
  // Returns `v` narrowed by the values in s.compared.
  static V known_of(const State& s, V v);

  // Joins `b`, another path at the same place, into `a`. When their tracked cells differ, add_changes() first
  // adds the changes on each path to its cost.
  void join_paths(Path& a, Path& b);

  void check_target(uint32_t target, uint32_t pc) const {
    if ((target & 3) || target >= kCodeBytes)
      reject(Rule::ControlFlow, pc, "jump to " + base::hex(target) + ", outside the code");
    if (target / 4 < program_.in_body.size() && program_.in_body[target / 4])
      reject(Rule::LoopBody, pc, "jump into the body of a hardware loop");
  }

  // Goes to `target` and adds the 2 cycles that a jump loses. The address kReturnAddress ends the region.
  // Rejects the program when a call is open then, or when `target` is outside the code or in the body of a
  // hardware loop.
  void take(State& s, uint32_t target, PathCost& cost);
  // Executes a jump or call. One through a register follows each of the addresses that the register may hold,
  // as paths of their own that wait. Returns whether `path` goes on.
  bool jump(Path& path, const TileOp& op);
  // Opens a call of the function at `target` and sets register `link` to the return address. Rejects
  // recursion.
  void call(State& s, unsigned link, uint32_t target);

  // Executes a hardware loop, whose body holds no control flow except inner loops. The body is executed once,
  // on registers and words that may hold anything when an earlier round can have written them, and its cost
  // is multiplied by the count. A trial execution on an unknown scratchpad finds the words that rounds store.
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

  // Returns whether register `reg` is read by the instruction after `pc`, or by the first one of the hardware
  // loop's body at `loop_start` (kExit: none), which may come next.
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

  // Requires that an access of `size` bytes at an address that is not constant stays inside the variable
  // (Program::objects) that holds its lowest possible address. Otherwise rejects the program at `pc` for
  // `rule`.
  void check_object(const V& computed, unsigned size, Rule rule, uint32_t pc);
  // Returns the cells of `size` bytes that an access at `address` may touch, by the congruence or the known
  // low bits of `address`. Returns none when there are more than kMostTable.
  static std::vector<uint32_t> cells_of(const V& address, unsigned size);

  V load(State& s, Op op, const V& address, uint32_t pc);
  V load_cell(State& s, uint32_t cell);
  // Executes a store of register n.rs2 at `address`. With `may_save`, that register may be one that was never
  // set, but only as a whole word at a constant address relative to the stack pointer. The word then counts
  // as not set.
  void
  store(State& s, const riscv::Instruction& n, const V& address, uint32_t pc, PathCost& cost, bool may_save);
  void store_cell(State& s, unsigned from, uint32_t cell);
  void set_cell(State& s, uint32_t cell, const V& value) {
    charge(s.words.shares(cell_address(cell)) ? kPageSteps : 1, s.pc);
    s.words.set(cell, value);
  }

  // Notes in cells_of_number_ that `cell` holds a value over `number` (Term).
  void note_cell(uint32_t number, uint32_t cell);

  // Adds to `cost` the changes of the tracked cells since record() was called last, and calls it again.
  // record() stores their present values in s.before.
  void add_changes(State& s, PathCost& cost);
  void record(State& s);
  Change change_of(const State& s, const Tracked& tracked, const V& before) const;
  // Suggests as counters to track (Exploration::tracked) the cells that hold a value over the number of
  // `value` (Term), which is compared with `other`.
  void suggest(const V& value, const V& other);

  const Program& program_;
  RegionKind kind_;
  ExploreOptions options_;
  uint64_t& budget_;
  const base::Progress& progress_;
  uint64_t steps_ = 0;
  uint64_t next_look_ = kLookSteps;
  uint32_t lowest_stack_ = kStackTop;
  uint32_t numbers_ = kArrivalNumber;
  std::set<uint32_t> changed_;  // cells that were stored to, without the stack
  std::set<Tracked> suggested_;
  std::bitset<Scratchpad::kPages> looked_at_;
  std::map<std::vector<uint32_t>, Path> waiting_;  // by Path::place
  std::vector<BranchStep> branches_;               // of the path that is being executed
  uint32_t paths_ = 0;                             // numbers of paths that were used (Path::place)
  // For each symbolic unknown (Term::number), up to four cells whose loaded or stored value is an expression
  // in it; at index number % kNumberSlots. Only a hint: a later number with the same index takes the entry
  // over, and a cell may be stored to again.
  static constexpr size_t kNumberSlots = 4096;
  struct CellsOfNumber {
    uint32_t number = 0;
    std::array<uint32_t, 4> cells = {};
  };
  std::vector<CellsOfNumber> cells_of_number_;
  // Addresses, both ends included, of the stores that forget_stored() collects while it executes a loop's
  // body.
  struct Range {
    uint32_t low;
    uint32_t high;
  };
  std::vector<Range> stored_;
  int open_loops_ = 0;
};

}  // namespace lento::tile
