// The explorer of the paths of one region of a program, behind explorer.h. Branches, jumps and loops are in
// explorer_flow.cc, loads and stores in explorer_memory.cc.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "base/units.h"
#include "tile/unit/memory.h"
#include "tile/unit/verify/control_flow.h"
#include "tile/unit/verify/explorer.h"
#include "tile/unit/verify/explorer_state.h"
#include "tile/unit/verify/known_words.h"
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
inline constexpr size_t kMostTimeWords = 256;
inline constexpr uint32_t kMostTable = 64;  // most cells of a table that are examined
// Costs of other work in steps of the budget, where an instruction is one step: a copy of the state, and a
// copy of a page of the scratchpad. One step pays for examining kWordsAStep cells of a table or pages of a
// range.
inline constexpr uint64_t kCopySteps = 12;
inline constexpr uint64_t kPageSteps = 16;
inline constexpr uint64_t kWordsAStep = 32;
inline constexpr uint64_t kLookSteps = 1 << 16;         // steps between two checks for a requested stop
inline constexpr size_t kMostOrigins = 1 << 16;         // entries of Explorer::origins_
inline constexpr uint32_t kNumbersAfterInit = 1 << 30;  // ids and stamps of main and finish are above

class Explorer {
 public:
  Explorer(
      const Program& program,
      RegionKind kind,
      const ExploreOptions& options,
      uint64_t& budget,
      const base::Progress& progress)
      : image_(program.image),
        code_(program.code),
        meets_(program.meets),
        in_body_(program.in_body),
        objects_(program.objects),
        kind_(kind),
        options_(options),
        short_loops_(program.code),
        budget_(budget),
        progress_(progress) {
  }

  Exploration explore(const KnownWords& words);

 private:
  Exploration from_entry(const KnownWords& words);

  PathCost new_cost() const {
    PathCost cost;
    if (options_.profile)
      cost.profile.resize(code_.size());
    return cost;
  }

  void add_cycles(PathCost& cost, uint64_t worst, uint64_t best) const {
    cost.add_cycles(worst, best);
    if (options_.counter.of_cycles)
      add_charge(cost, options_.counter.parts, int64_t(worst));
  }

  void spend(PathCost& cost, uint32_t pc, uint64_t worst, uint64_t best) const {
    add_cycles(cost, worst, best);
    if (!cost.profile.empty() && pc / 4 < cost.profile.size())
      cost.profile[pc / 4] += worst;
  }

  struct Stop {
    uint32_t index;  // kExit: the return of the call at depth `depth`
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

  // Returns the instruction at `pc`. Rejects the program when there is none.
  const TileOp& fetch(uint32_t pc, uint32_t from) {
    charge(1, from);
    if (pc / 4 >= code_.size())
      reject(Rule::ControlFlow, from, "execution leaves the code at " + base::hex(pc));
    const TileOp& op = code_[pc / 4];
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
  void count(State& s, const TileOp& op, PathCost& cost) const {
    if (op.custom != Custom::HistIn)
      spend(cost, s.pc, 1, 1);
    if (op.custom == Custom::Emit)
      spend(cost, s.pc, s.filling, 0);
    if (op.custom == Custom::HistRead && s.filling == kFilling)
      spend(cost, s.pc, 1, 0);
    const uint32_t left = s.filling - (s.filling > 0);
    s.filling = takes_values(op) ? kFilling : op.custom == Custom::HistRead ? std::max(left, 1u) : left;
  }

  void branch(State& s, const TileOp& op, int depth, PathCost& cost);

  static bool compares(const TileOp& op) {
    const Op o = op.base.op;
    return op.custom == Custom::None && op.base.rd != 0 &&
           (o == Op::Slt || o == Op::Slti || o == Op::Sltu || o == Op::Sltiu);
  }

  // Follows both results of a comparison, 0 and 1, with the operands narrowed accordingly.
  void compare(State& s, const TileOp& op, int depth, PathCost& cost);

  // Returns where the two paths of a branch are joined.
  uint32_t meeting_place(uint32_t at) const {
    return options_.join == Join::AtEnd ? kExit : meets_[at];
  }

  // Starts one path of a branch. The state kept for detecting endless loops is dropped, because it belongs
  // to another path.
  void begin_way() {
    anchor_pc_ = kExit;
    next_anchor_ = jumps_back_ + 1;
  }

  // Narrows the registers of a branch, and the words of the scratchpad that they were loaded from or stored
  // to.
  void refine_state(State& s, const TileOp& op, bool taken) {
    refine(op.base.op, taken, s.x[op.base.rs1], s.x[op.base.rs2]);
    reflect(s, s.x[op.base.rs1]);
    reflect(s, s.x[op.base.rs2]);
  }

  // Narrows all registers that hold the same unknown value as `v`.
  void reflect(State& s, const V& v) const {
    if (v.empty())
      return;
    const V known = v;  // a copy, because v may be one of the registers
    if (known.id != 0 || known.home != 0) {
      for (size_t i = 1; i < s.x.size(); ++i) {
        const V sharper = sharpened(s.x[i], known);
        if (sharper.same_value(s.x[i]))
          continue;
        s.x[i] = sharper;
        reflect_cell(s, sharper);
      }
      for (V& ghost : s.ghosts)
        ghost = sharpened(ghost, known);
      reflect_origin(s, known);
    }
    reflect_cell(s, known);
  }

  void reflect_origin(State& s, const V& known) const;

  // Narrows the scratchpad cell from which the register with the value `known` was loaded, or to which it
  // was stored, by that value.
  static void reflect_cell(State& s, const V& known) {
    if (known.home == 0)
      return;
    const V* cell = s.words.find_cell(known.home);
    if (!cell || cell->stamp != known.stamp)
      return;
    V sharper = meet(*cell, abstract_alu(Op::Add, known, V::constant(0u - known.offset)));
    if (sharper.empty() || sharper.same_value(*cell))
      return;
    sharper.stamp = cell->stamp;
    s.words.narrow_cell(known.home, sharper);
  }

  // Sets State::time_is_over when a branch shows that the counter's period has passed. `differs` means that
  // the operands of the branch differ.
  void learn_of_time(State& s, const TileOp& op, bool differs);
  bool is_counter_cell(const State& s, uint32_t cell, uint32_t stamp) const;

  static bool possible(const State& s, const TileOp& op) {
    return !s.x[op.base.rs1].empty() && !s.x[op.base.rs2].empty();
  }

  // Detects an endless loop: a jump back to the same state as at an earlier jump. It is detected when no
  // branch that began after the earlier jump is open. The step budget ends all other endless loops.
  void take_back(State& s, uint32_t target, PathCost& cost);

  static bool same_registers(const State& a, const State& b) {
    for (size_t i = 0; i < 32; ++i) {
      if (!a.x[i].same_value(b.x[i]))
        return false;
    }
    return true;
  }

  // Joins the state of a second path into `a`. Rejects the program when the two return to different places.
  // The counter's potential (explorer.h) is charged to each path first, unless State::ghosts are equal in
  // both.
  void join_states(State& a, State& b, uint32_t pc, PathCost& cost_a, PathCost& cost_b) {
    if (a.pc != b.pc || a.calls.size() != b.calls.size())
      reject(Rule::ControlFlow, pc, "the two ways of this branch return to different places");
    const bool alike = a.ghosts == b.ghosts;
    if (!alike) {
      charge_counter(a, cost_a);
      charge_counter(b, cost_b);
    }
    for (size_t i = 0; i < 32; ++i)
      a.x[i] = join(a.x[i], b.x[i]);
    a.words.join(b.words);
    a.filling = std::max(a.filling, b.filling);
    a.time_is_over = a.time_is_over && b.time_is_over;
    for (size_t i = 0; i < a.ghosts.size(); ++i)
      a.ghosts[i] = join(a.ghosts[i], b.ghosts[i]);
    if (!alike)
      begin_counter(a);
  }

  void check_target(uint32_t target, uint32_t pc) const {
    if ((target & 3) || target >= kCodeBytes)
      reject(Rule::ControlFlow, pc, "jump to " + base::hex(target) + ", outside the code");
    if (target / 4 < in_body_.size() && in_body_[target / 4])
      reject(Rule::LoopBody, pc, "jump into the body of a hardware loop");
  }

  // Goes to `target`: leaves the function when it is the return address.
  void take(State& s, uint32_t target, PathCost& cost) {
    if (target == kReturnAddress) {
      if (s.calls.size() != 1)
        reject(Rule::ControlFlow, s.pc, "the region ends inside a call");
      s.calls.pop_back();
    } else {
      check_target(target, s.pc);
      spend(cost, s.pc, 2, 2);
    }
    s.pc = target;
  }

  // jump_to_any() follows a call or jump through a register to each of its possible targets.
  // join_alternative() joins the paths where they return.
  void join_alternative(std::optional<State>& joined, PathCost& all, State one, PathCost its, uint32_t pc);
  void jump_to_any(State& s, const TileOp& op, const V& target, int depth, PathCost& cost);

  void jump(State& s, const TileOp& op, int depth, PathCost& cost);

  // Enters a function. Rejects recursion.
  void call(State& s, unsigned link, uint32_t target) {
    for (const State::Call& open : s.calls) {
      if (open.entry == target)
        reject(Rule::Recursion, s.pc, "the function at " + base::hex(target) + " calls itself");
    }
    write(s, link, V::constant(s.pc + 4));
    s.calls.push_back({s.pc + 4, target});
  }

  // Executes a hardware loop. Its body holds no control flow except one inner loop. The body is executed
  // once, on registers and words that may hold anything that earlier rounds left, and its cost is multiplied
  // by the count. A first run without knowledge of the scratchpad finds the words that rounds store.
  // Invariant: a register or word that is set before the loop is not unset in it.
  void loop(State& s, const TileOp& op, PathCost& cost);

  void run_body(State& s, uint32_t length, PathCost& cost);

  void forget_stored(State& s, uint32_t length);

  bool uses(uint32_t index, unsigned reg) const {
    if (index >= code_.size())
      return false;
    const TileOp& next = code_[index];
    return (next.reads_rs1() && next.base.rs1 == reg) || (next.reads_rs2() && next.base.rs2 == reg);
  }

  // Returns whether the instruction after `pc`, or the first of the loop's next round, reads the register.
  bool uses_next(uint32_t pc, unsigned reg, uint32_t loop_start) const {
    return uses(pc / 4 + 1, reg) || (loop_start != kExit && uses(loop_start / 4, reg));
  }

  V address_of(const State& s, const riscv::Instruction& n, uint32_t pc) const;
  void straight(State& s, const TileOp& op, PathCost& cost, uint32_t loop_start = kExit);

  void renumber(V& v);
  void arithmetic(State& s, const riscv::Instruction& n, uint32_t pc);

  void name(V& v) {
    if (v.id == 0 && !v.is_constant())
      v.id = ++names_;
  }

  // Rejects the program when the stack pointer may leave the part of the scratchpad above the program's
  // data.
  void note_stack(const V& sp, uint32_t pc) {
    if (sp.low < kDataBase + image_.data.size() || sp.high > kStackTop) {
      reject(
          Rule::Stack,
          pc,
          "the stack pointer may leave the free scratchpad: " + base::hex(sp.low) + ".." +
              base::hex(sp.high));
    }
    lowest_stack_ = std::min(lowest_stack_, sp.low);
  }

  void custom(State& s, const TileOp& op, uint32_t pc, PathCost& cost, uint32_t loop_start);

  // Adds the cycle of a hist.in and rejects one that could wait for ever. The time that it waits for its pair
  // of inputs is not counted.
  void stream(const TileOp& op, uint32_t pc, PathCost& cost) const {
    const uint32_t needed = (3u << (2 * op.count)) & image_.input_mask;
    if (needed == 0)
      return spend(cost, pc, 1, 1);  // no operand to wait for
    if (kind_ != RegionKind::Main)
      reject(Rule::Unbounded, pc, "hist.in waits for ever: inputs come only while main runs");
    PathCost one = PathCost::hist_in(needed != image_.input_mask);
    if (!cost.profile.empty())
      ++cost.profile[pc / 4];
    cost.add(one);
  }

  void put_out(PathCost& cost, uint32_t bytes) const {
    cost.bytes += bytes;
    if (!options_.counter.of_cycles)
      add_charge(cost, options_.counter.parts, bytes);
  }

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

  // Returns the cells (known_words.h) that an access of `size` bytes may touch, at the spacing that the
  // address's factor, modulus or fixed low bits imply. Returns none when there are more than kMostTable.
  static std::vector<uint32_t> cells_of(const V& address, unsigned size);

  // Returns the value of a cell as a load extends it.
  static V extended(const V& value, Op op);

  // Returns the join of all cells that a load from a computed address may read, as from a table of constants.
  // Returns nothing when they are too many or one is unknown.
  std::optional<V> load_table(const State& s, Op op, const V& address, uint32_t pc);

  V load(State& s, Op op, const V& address, uint32_t pc);
  V load_cell(State& s, uint32_t cell, V value);

  void store_cell(State& s, unsigned from, uint32_t cell, const V& value, PathCost& cost);
  // Stores to one of several cells, so that each may hold its old value or the new one.
  void store_table(State& s, const riscv::Instruction& n, const V& address, const V& value);

  // The amortised cost under options_.counter (explorer.h). begin_counter() makes the value of the counter's
  // cell the reference of the next charge. follow_counter() updates that value after a store.
  // charge_counter() adds to `cost` an upper bound of the potential's increase since the last charge.
  void begin_counter(State& s);
  void follow_counter(State& s);
  void charge_counter(State& s, PathCost& cost);
  // Returns (to - from) & mask when both values are one unknown number plus different constants, else
  // nothing.
  std::optional<uint32_t> distance_of(const V& from, const V& to, uint32_t mask) const;
  V low_bits(const V& v) const;
  void charge_time(State& s, const V& value, PathCost& cost) const;
  static void add_charge(PathCost& cost, int64_t amount, int64_t change);

  // Executes a store. A register that was never set may be saved, but only as a whole word at a known
  // address on the stack, where the word remains marked as not set.
  void
  store(State& s, const riscv::Instruction& n, const V& address, uint32_t pc, PathCost& cost, bool may_save);

  const Image& image_;
  const std::vector<TileOp>& code_;
  const std::vector<uint32_t>& meets_;
  const std::vector<bool>& in_body_;
  const std::vector<DataObject>& objects_;
  RegionKind kind_;
  ExploreOptions options_;
  ShortLoops short_loops_;
  uint64_t& budget_;
  const base::Progress& progress_;
  uint64_t steps_ = 0;
  uint64_t next_look_ = kLookSteps;
  uint32_t lowest_stack_ = kStackTop;
  uint32_t stamp_ = 0;
  uint32_t names_ = 0;
  std::set<TimeWord> time_words_;
  std::bitset<KnownWords::kPages> looked_at_;
  std::set<uint32_t> changed_;
  std::set<uint32_t> tested_;
  // Maps an unknown number (AbstractValue::id) that renumber() made to the older number and the constant that
  // was added to it.
  std::unordered_map<uint32_t, std::pair<uint32_t, uint32_t>> origins_;
  std::vector<BranchStep> path_;  // branches that are still open
  // The state at an earlier jump back to anchor_pc_. A later jump there with an equal state is an endless
  // loop (take_back). It is replaced when jumps_back_, the number of jumps back, reaches next_anchor_.
  State anchor_;
  uint32_t anchor_pc_ = kExit;
  uint64_t jumps_back_ = 0;
  uint64_t next_anchor_ = 1;
  int in_loop_ = 0;
  // Addresses of stores, recorded while a loop's stores are collected.
  struct Range {
    uint32_t low;
    uint32_t high;
  };
  std::vector<Range> stored_;
  int open_loops_ = 0;
};

}  // namespace lento::tile
