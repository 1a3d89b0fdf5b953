#include "tile/unit/explorer.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "base/units.h"
#include "riscv/alu.h"
#include "tile/unit/control_flow.h"
#include "tile/unit/histogram.h"
#include "tile/unit/known_words.h"
#include "tile/unit/memory.h"
#include "tile/unit/short_loops.h"

namespace lento::tile {
namespace {

using riscv::Op;
using V = AbstractValue;

constexpr uint32_t kStackTop = kDataBase + kDataBytes;
constexpr uint64_t kLoopLimit = 1 << 20;
constexpr int kDepthLimit = 600;           // unknown branches open at once
constexpr uint32_t kFilling = 2;           // cycles from the one after a take until accumulators can be read
constexpr uint64_t kMostRounds = 1 << 18;  // of loops on one path
constexpr size_t kMostCompared = 256;
constexpr uint32_t kMostTable = 64;  // words, or bytes, of a table that are looked at
// What else costs time, in instructions: a copy of the state, one of a page of the scratchpad; and how many
// words of a table or pages of a range are looked at for one.
constexpr uint64_t kCopySteps = 12;
constexpr uint64_t kPageSteps = 16;
constexpr uint64_t kWordsAStep = 32;
constexpr uint64_t kLookSteps = 1 << 16;

[[noreturn]] void reject(Rule rule, uint32_t pc, const std::string& text) {
  throw Violation{rule, pc, text};
}

struct State {
  std::array<V, 32> x;
  KnownWords words;
  struct Call {
    uint32_t back;
    uint32_t entry;
  };
  std::vector<Call> calls;
  uint32_t pc = 0;
  // For how many instructions more, at most, emit would find values on their way (HistogramUnit::busy) or the
  // accumulators being read.
  uint32_t filling = 0;
};

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
        loops_(program.loops),
        in_body_(program.in_body),
        objects_(program.objects),
        kind_(kind),
        options_(options),
        short_loops_(program.code),
        budget_(budget),
        progress_(progress) {
  }

  Exploration explore(const KnownWords& words) {
    try {
      return from_entry(words);
    } catch (Violation& violation) {
      violation.path = path_;
      throw;
    }
  }

 private:
  Exploration from_entry(const KnownWords& words) {
    const uint32_t entry = kind_ == RegionKind::Init   ? 0
                           : kind_ == RegionKind::Main ? image_.main_entry
                                                       : kFinishEntry;
    check_target(entry, entry);
    State start;
    for (V& v : start.x)
      v.initialised = kind_ == RegionKind::Init;
    start.words = words;
    stamp_ = words.last_stamp();  // none of this exploration is one of those before
    start.x[0] = V::constant(0);
    start.x[1] = V::constant(kReturnAddress);
    start.x[2] = V::constant(kStackTop);
    start.calls = {{kReturnAddress, entry}};
    start.pc = entry;
    PathCost cost = new_cost();
    spend(cost, entry, 2, 2);  // fetch and decode of the first instruction
    run(start, {kExit, 1}, 0, cost);
    if (!start.x[2].same_value(V::constant(kStackTop)))
      reject(Rule::Stack, entry, "the stack pointer is not put back at the return");
    return {
        cost,
        kStackTop - lowest_stack_,
        steps_,
        std::move(start.words),
        std::move(compared_),
        changed_words(),
        looked_at_};
  }

  std::set<uint32_t> changed_words() const {
    std::set<uint32_t> out;
    for (uint32_t i = 0; i < changed_.size(); ++i) {
      if (changed_[i])
        out.insert(kDataBase + 4 * i);
    }
    return out;
  }

  PathCost new_cost() const {
    PathCost cost;
    if (options_.profile)
      cost.profile.resize(code_.size());
    return cost;
  }

  void spend(PathCost& cost, uint32_t pc, uint64_t worst, uint64_t best) const {
    cost.add_cycles(worst, best);
    if (!cost.profile.empty() && pc / 4 < cost.profile.size())
      cost.profile[pc / 4] += worst;
  }

  struct Stop {
    uint32_t index;  // kExit: the return of the call at `depth`
    size_t depth;
  };
  static bool reached(const State& s, const Stop& stop) {
    return s.calls.size() < stop.depth || (s.calls.size() == stop.depth && s.pc / 4 == stop.index);
  }

  // Work that is to be bounded: an instruction is one, copies and ranges of words count with their size.
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

  const TileOp& fetch(uint32_t pc, uint32_t from) {
    charge(1, from);
    if (pc / 4 >= code_.size())
      reject(Rule::ControlFlow, from, "execution leaves the code at " + base::hex(pc));
    const TileOp& op = code_[pc / 4];
    if (!op.legal())
      reject(Rule::IllegalInstruction, pc, "word " + base::hex(op.word) + " is no instruction of the tile");
    return op;
  }

  // Runs `s` until `stop`; adds the cost.
  void run(State& s, const Stop& stop, int depth, PathCost& cost) {
    if (depth > kDepthLimit)
      reject(
          Rule::Unbounded,
          s.pc,
          "more than " + std::to_string(kDepthLimit) + " open branches: a loop without a known bound");
    uint32_t from = s.pc;
    uint64_t rounds = 0;
    while (!reached(s, stop)) {
      const uint32_t pc = s.pc;
      if (pc < from && ++rounds > kMostRounds)
        reject(Rule::Unbounded, from, "a loop may run more than " + std::to_string(kMostRounds) + " rounds");
      if (short_loop(s, from, stop, cost)) {
        from = s.pc - 4;
        continue;
      }
      const TileOp& op = fetch(pc, from);
      from = pc;
      count(s, op, cost);
      if (riscv::is_branch(op.base.op))
        branch(s, op, depth, cost);
      else if (riscv::is_jump(op.base.op))
        jump(s, op, depth, cost);
      else if (op.custom == Custom::Loop || op.custom == Custom::LoopImmediate)
        loop(s, op, cost);
      else if (options_.join == Join::AtEnd && compares(op))
        compare(s, op, depth, cost);
      else
        straight(s, op, cost);
    }
  }

  // A loop of arithmetic that begins here and ends by a count, at once. Not where ways are told apart that it
  // would join, nor where instructions are looked at one by one.
  bool short_loop(State& s, uint32_t from, const Stop& stop, PathCost& cost) {
    const uint32_t at = s.pc / 4;
    ShortLoops::Loop* loop = short_loops_.at(at);
    if (!loop || from == 4 * loop->branch || options_.join == Join::AtEnd || options_.profile)
      return false;
    if (stop.index > at && stop.index <= loop->branch)
      return false;
    uint64_t steps = 0;
    const ShortLoops::Run* run = short_loops_.run(*loop, s.x, steps);
    charge(steps, s.pc);
    if (!run || !run->ends)
      return false;
    for (const ShortLoops::Write& w : run->writes)
      s.x[w.reg] = w.value;
    for (const uint32_t constant : run->compared)
      note_compared(4 * loop->branch, constant);
    const uint64_t cycles = run->rounds * loop->instructions() + 2 * (run->rounds - 1);
    cost.add_cycles(cycles, cycles);
    s.filling -= uint32_t(std::min<uint64_t>(s.filling, run->rounds * loop->instructions()));
    s.pc = 4 * loop->branch + 4;
    return true;
  }

  static bool takes_values(const TileOp& op) {
    return op.custom == Custom::Hist || op.custom == Custom::HistIn;
  }

  // The instruction's own cycle (stream() counts that of hist.in), and what hist.rd and emit wait for values
  // that an instruction before them took.
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

  void branch(State& s, const TileOp& op, int depth, PathCost& cost) {
    const uint32_t pc = s.pc;
    const uint32_t target = pc + uint32_t(op.base.imm);
    const V& left = read(s, op.base.rs1, pc);
    const V& right = read(s, op.base.rs2, pc);
    if (left.is_constant())
      note_compared(pc, left.low);
    if (right.is_constant())
      note_compared(pc, right.low);
    const Truth truth = abstract_branch(op.base.op, left, right);
    if (truth == Truth::Yes)
      return take_back(s, target, cost);
    s.pc = pc + 4;
    if (truth == Truth::No)
      return;
    charge(kCopySteps, pc);
    State other = s;
    refine_state(s, op, false);
    refine_state(other, op, true);
    const bool falls = possible(s, op);
    const bool jumps = possible(other, op);
    PathCost fall_cost = new_cost();
    PathCost jump_cost = new_cost();
    other.pc = pc;
    if (jumps)
      take(other, target, jump_cost);
    if (!jumps)
      return;
    if (!falls) {
      s = std::move(other);
      return cost.add(jump_cost);
    }
    const Stop meet{meeting_place(pc / 4), s.calls.size()};
    path_.push_back({pc, false});
    run(s, meet, depth + 1, fall_cost);
    path_.back().taken = true;
    run(other, meet, depth + 1, jump_cost);
    join_states(s, other, pc);
    path_.pop_back();
    cost.add(PathCost::either(fall_cost, jump_cost));
    bound(cost, pc);
  }

  static bool compares(const TileOp& op) {
    const Op o = op.base.op;
    return op.custom == Custom::None && op.base.rd != 0 &&
           (o == Op::Slt || o == Op::Slti || o == Op::Sltu || o == Op::Sltiu);
  }

  // What a comparison gives, 0 or 1, is told apart with what that says of its operands.
  void compare(State& s, const TileOp& op, int depth, PathCost& cost) {
    const uint32_t pc = s.pc;
    const riscv::Instruction& n = op.base;
    const bool immediate = n.op == Op::Slti || n.op == Op::Sltiu;
    const Op test = n.op == Op::Slt || n.op == Op::Slti ? Op::Blt : Op::Bltu;
    V right = immediate ? V::constant(uint32_t(n.imm)) : read(s, n.rs2, pc);
    V left = read(s, n.rs1, pc);
    if (abstract_branch(test, left, right) != Truth::Unknown)
      return straight(s, op, cost);
    charge(kCopySteps, pc);
    std::optional<State> joined;
    PathCost all;
    for (const bool less : {false, true}) {
      State one = s;
      V a = left;
      V b = right;
      refine(test, less, a, b);
      if (a.empty() || b.empty())
        continue;
      write(one, n.rs1, a);
      if (!immediate)
        write(one, n.rs2, b);
      reflect(one, a);
      write(one, n.rd, V::constant(less));
      one.pc = pc + 4;
      PathCost its = new_cost();
      run(one, {kExit, s.calls.size()}, depth + 1, its);
      all = joined ? PathCost::either(all, its) : its;
      if (joined)
        join_states(*joined, one, pc);
      else
        joined = std::move(one);
    }
    s = std::move(*joined);
    cost.add(all);
    bound(cost, pc);
  }

  // Where the two ways of a branch are joined: where all their paths meet, or, when the ways through a loop
  // are told apart, the first such place outside of it.
  uint32_t meeting_place(uint32_t at) const {
    if (options_.join == Join::AtEnd)
      return kExit;
    uint32_t meet = meets_[at];
    while (options_.join == Join::AfterLoop && meet != kExit && loops_[meet] == loops_[at])
      meet = meets_[meet];
    return meet;
  }

  void note_compared(uint32_t pc, uint32_t constant) {
    uint32_t& last = noted_[pc / 4];
    if (last == constant || compared_.size() >= kMostCompared)
      return;
    last = constant;
    for (const uint32_t end : {constant - 1, constant, constant + 1})
      compared_.insert(end);
  }

  // Registers after a branch, and the words of the scratchpad that they were loaded from or stored to.
  static void refine_state(State& s, const TileOp& op, bool taken) {
    refine(op.base.op, taken, s.x[op.base.rs1], s.x[op.base.rs2]);
    reflect(s, s.x[op.base.rs1]);
    reflect(s, s.x[op.base.rs2]);
  }

  static void reflect(State& s, const V& v) {
    if (v.home == 0 || v.empty())
      return;
    const V* word = s.words.find(v.home);
    if (!word || word->stamp != v.stamp)
      return;
    V sharper = meet(*word, abstract_alu(Op::Add, v, V::constant(0u - v.offset)));
    if (sharper.empty() || sharper.same_value(*word))
      return;
    sharper.stamp = word->stamp;
    s.words.set(v.home, sharper);
  }

  static bool possible(const State& s, const TileOp& op) {
    return !s.x[op.base.rs1].empty() && !s.x[op.base.rs2].empty();
  }

  // A jump back to where everything is as it was the last time never ends. (Seen when no branch is open that
  // began after that time; the budget ends the rest.)
  void take_back(State& s, uint32_t target, PathCost& cost) {
    if (target <= s.pc) {
      const bool again = anchor_pc_ == target && anchor_.words.same_pages(s.words) &&
                         same_registers(anchor_, s) && anchor_.calls.size() == s.calls.size();
      if (again)
        reject(
            Rule::Unbounded,
            s.pc,
            "the loop from " + base::hex(target) + " never ends: nothing changes in it");
      if (++jumps_back_ >= next_anchor_) {
        next_anchor_ = jumps_back_ * 2;
        anchor_ = s;
        anchor_pc_ = target;
      }
    }
    take(s, target, cost);
  }

  static bool same_registers(const State& a, const State& b) {
    for (size_t i = 0; i < 32; ++i) {
      if (!a.x[i].same_value(b.x[i]))
        return false;
    }
    return true;
  }

  static void join_states(State& a, const State& b, uint32_t pc) {
    if (a.pc != b.pc || a.calls.size() != b.calls.size())
      reject(Rule::ControlFlow, pc, "the two ways of this branch return to different places");
    for (size_t i = 0; i < 32; ++i)
      a.x[i] = join(a.x[i], b.x[i]);
    a.words.join(b.words);
    a.filling = std::max(a.filling, b.filling);
  }

  void check_target(uint32_t target, uint32_t pc) const {
    if ((target & 3) || target >= kCodeBytes)
      reject(Rule::ControlFlow, pc, "jump to " + base::hex(target) + ", outside the code");
    if (target / 4 < in_body_.size() && in_body_[target / 4])
      reject(Rule::LoopBody, pc, "jump into the body of a hardware loop");
  }

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

  // A call or jump to one of few functions: each is followed, and all are joined where they return.
  void jump_to_any(State& s, const TileOp& op, const V& target, int depth, PathCost& cost) {
    const uint32_t pc = s.pc;
    const Stop meet = op.base.rd != 0 ? Stop{pc / 4 + 1, s.calls.size()} : Stop{kExit, s.calls.size()};
    std::optional<State> joined;
    PathCost all;
    for (size_t i = 0; i < target.places; ++i) {
      charge(kCopySteps, pc);
      State one = s;
      PathCost its = new_cost();
      if (op.base.rd != 0)
        call(one, op.base.rd, target.place[i]);
      take(one, target.place[i], its);
      run(one, meet, depth + 1, its);
      all = joined ? PathCost::either(all, its) : its;
      if (joined)
        join_states(*joined, one, pc);
      else
        joined = std::move(one);
    }
    s = std::move(*joined);
    cost.add(all);
    bound(cost, pc);
  }

  void jump(State& s, const TileOp& op, int depth, PathCost& cost) {
    const uint32_t pc = s.pc;
    if (op.base.op == Op::Jal) {
      const uint32_t target = pc + uint32_t(op.base.imm);
      if (op.base.rd != 0)
        call(s, op.base.rd, target);
      return take_back(s, target, cost);
    }
    const V target = abstract_alu(Op::Addi, read(s, op.base.rs1, pc), V::constant(uint32_t(op.base.imm)));
    if (!target.is_constant() && target.places > 0)
      return jump_to_any(s, op, target, depth, cost);
    if (!target.is_constant())
      reject(Rule::IndirectJump, pc, "jump through a register whose value is not known");
    if (!s.calls.empty() && target.low == s.calls.back().back && op.base.rd == 0) {
      if (target.low == kReturnAddress)
        return take(s, kReturnAddress, cost);
      s.calls.pop_back();
    } else if (op.base.rd != 0) {
      call(s, op.base.rd, target.low);
    } else {
      reject(Rule::IndirectJump, pc, "jump through a register that is no return");
    }
    take(s, target.low, cost);
  }

  void call(State& s, unsigned link, uint32_t target) {
    for (const State::Call& open : s.calls) {
      if (open.entry == target)
        reject(Rule::Recursion, s.pc, "the function at " + base::hex(target) + " calls itself");
    }
    write(s, link, V::constant(s.pc + 4));
    s.calls.push_back({s.pc + 4, target});
  }

  // The body of a hardware loop holds no control flow but one inner loop: executed once on registers and
  // words that may hold whatever an earlier round left in them; costs times the count. What the rounds store
  // shows when nothing is known of the scratchpad. Invariant of the rounds: no register or word that is set
  // before the loop is unset in it.
  void loop(State& s, const TileOp& op, PathCost& cost) {
    const uint32_t pc = s.pc;
    uint64_t most = op.count;
    uint64_t least = op.count;
    if (op.custom == Custom::Loop) {
      const V& count = read(s, op.base.rs1, pc);
      most = std::max(count.high, 1u);
      least = std::max(count.low, 1u);
      spend(cost, pc, 1, 1);  // nothing is fetched behind it while it goes to EX
    }
    if (most > kLoopLimit)
      reject(Rule::Unbounded, pc, "the loop count may be " + std::to_string(most) + ", more than 2^20");
    for (uint32_t at = pc / 4 + 1; at <= pc / 4 + op.length; ++at) {
      const TileOp& in = code_[at];
      if (in.writes_rd() && s.x[in.base.rd].initialised)
        s.x[in.base.rd] = V::any();
    }
    const std::array<V, 32> before = s.x;
    forget_stored(s, op.length);
    PathCost body = new_cost();
    ++in_loop_;
    run_body(s, op.length, body);
    --in_loop_;
    for (unsigned i = 0; i < 32; ++i) {
      if (before[i].initialised)
        read(s, i, pc);
    }
    cost.add(body.repeated(most, least));
    bound(cost, pc);
  }

  void run_body(State& s, uint32_t length, PathCost& cost) {
    const uint32_t start = s.pc + 4;
    const uint32_t end = start + 4 * length;
    s.pc = start;
    // A round may begin with what the one before took.
    for (uint32_t at = start / 4; at < end / 4; ++at) {
      if (takes_values(code_[at]) || code_[at].custom == Custom::HistRead)
        s.filling = kFilling;
    }
    while (s.pc != end) {
      const TileOp& in = fetch(s.pc, s.pc);
      count(s, in, cost);
      if (in.custom == Custom::Loop || in.custom == Custom::LoopImmediate)
        loop(s, in, cost);
      else
        straight(s, in, cost, start);
    }
  }

  void forget_stored(State& s, uint32_t length) {
    charge(KnownWords::kPages, s.pc);
    State trial = s;
    trial.words.forget(kDataBase, kStackTop - 1);
    const size_t outer = stored_.size();
    PathCost unused = new_cost();
    ++open_loops_;
    run_body(trial, length, unused);
    --open_loops_;
    for (size_t i = outer; i < stored_.size(); ++i)
      s.words.forget(stored_[i].low, stored_[i].high);
    if (open_loops_ == 0)
      stored_.clear();
  }

  bool uses(uint32_t index, unsigned reg) const {
    if (index >= code_.size())
      return false;
    const TileOp& next = code_[index];
    return (next.reads_rs1() && next.base.rs1 == reg) || (next.reads_rs2() && next.base.rs2 == reg);
  }

  // Whether the instruction that follows `pc`, here or in the loop's next round, reads the register.
  bool uses_next(uint32_t pc, unsigned reg, uint32_t loop_start) const {
    return uses(pc / 4 + 1, reg) || (loop_start != kExit && uses(loop_start / 4, reg));
  }

  void straight(State& s, const TileOp& op, PathCost& cost, uint32_t loop_start = kExit) {
    const uint32_t pc = s.pc;
    const riscv::Instruction& n = op.base;
    s.pc = pc + 4;
    if (op.custom != Custom::None)
      return custom(s, op, pc, cost, loop_start);
    if (riscv::is_load(n.op)) {
      const V address = abstract_alu(Op::Addi, read(s, n.rs1, pc), V::constant(uint32_t(n.imm)));
      write(s, n.rd, load(s, n.op, address, pc));
      if (n.rd != 0 && uses_next(pc, n.rd, loop_start))
        spend(cost, pc, 1, 0);
    } else if (riscv::is_store(n.op)) {
      const V address = abstract_alu(Op::Addi, read(s, n.rs1, pc), V::constant(uint32_t(n.imm)));
      store(s, n, address, pc, cost, loop_start == kExit);
    } else if (n.op == Op::Lui) {
      write(s, n.rd, V::constant(uint32_t(n.imm)));
    } else if (n.op == Op::Auipc) {
      write(s, n.rd, V::constant(pc + uint32_t(n.imm)));
    } else if (n.op != Op::Fence) {
      arithmetic(s, n, pc);
    }
  }

  void arithmetic(State& s, const riscv::Instruction& n, uint32_t pc) {
    const bool shifts = n.op == Op::Slli;
    if (shifts)
      name(s.x[n.rs1]);
    const V& a = read(s, n.rs1, pc);
    V immediate;
    if (!riscv::reads_rs2(n.op))
      immediate = V::constant(uint32_t(n.imm));
    const V& b = riscv::reads_rs2(n.op) ? read(s, n.rs2, pc) : immediate;
    V result = abstract_alu(n.op, a, b);
    if (shifts && a.id != 0) {
      result.of = a.id;
      result.by = b.low & 31;
    }
    if (n.op == Op::Sub && a.of != 0 && a.of == b.id)
      result = meet(result, less_itself(a, b));
    write(s, n.rd, result);
    if (n.rd == 2)
      note_stack(s.x[2], pc);
  }

  void name(V& v) {
    if (v.id == 0 && !v.is_constant())
      v.id = ++names_;
  }

  // (x << n) - x for x in b, when it does not wrap.
  static V less_itself(const V& a, const V& b) {
    const uint64_t factor = (uint64_t{1} << a.by) - 1;
    if (b.high * factor > UINT32_MAX)
      return V::any();
    return V::range(uint32_t(b.low * factor), uint32_t(b.high * factor));
  }

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

  void custom(State& s, const TileOp& op, uint32_t pc, PathCost& cost, uint32_t loop_start) {
    if (op.reads_rs1())
      read(s, op.base.rs1, pc);
    if (op.reads_rs2())
      read(s, op.base.rs2, pc);
    if (op.writes_rd())
      write(s, op.base.rd, V::any());
    if (op.custom == Custom::HistRead && op.base.rd != 0 && uses_next(pc, op.base.rd, loop_start))
      spend(cost, pc, 1, 0);
    if (op.custom == Custom::HistIn)
      stream(op, pc, cost);
    if (op.custom == Custom::Emit) {
      const uint32_t bytes = HistogramUnit::emit_bytes(op.count);
      put_out(cost, bytes);
      spend(cost, pc, (bytes + 3) / 4 - 1, (bytes + 3) / 4 - 1);
    }
  }

  void stream(const TileOp& op, uint32_t pc, PathCost& cost) const {
    const uint32_t needed = (3u << (2 * op.count)) & image_.input_mask;
    if (needed == 0)
      return spend(cost, pc, 1, 1);  // waits for nothing
    if (kind_ != RegionKind::Main)
      reject(Rule::Unbounded, pc, "hist.in waits for ever: inputs come only while main runs");
    PathCost one = PathCost::hist_in(needed != image_.input_mask);
    if (!cost.profile.empty())
      ++cost.profile[pc / 4];
    cost.add(one);
  }

  void put_out(PathCost& cost, uint32_t bytes) const {
    cost.bytes += bytes;
    cost.charged = std::min(cost.charged + bytes * options_.counter.parts, PathCost::kMostCharged);
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

  // A computed address stays in the variable in which it begins.
  void check_object(const V& address, unsigned size, Rule rule, uint32_t pc) const {
    if (objects_.empty() || address.is_constant())
      return;
    const auto next = std::ranges::upper_bound(objects_, address.low, {}, &DataObject::low);
    if (next == objects_.begin())
      return;
    const DataObject& object = *std::prev(next);
    const uint64_t end = uint64_t{object.low} + object.bytes;
    const uint64_t last = uint64_t{address.high} + size;
    if (address.low >= end || last <= end)
      return;
    reject(
        rule,
        pc,
        (rule == Rule::LoadBounds ? "load from bytes " : "store to bytes ") +
            std::to_string(address.low - object.low) + ".." + std::to_string(last - 1 - object.low) +
            " of '" + object.name + "', which has " + std::to_string(object.bytes));
  }

  // The word at a known place: what a branch shows of the register then holds for the word.
  static V load_word(uint32_t address, const V& word) {
    V out = word;
    out.home = word.stamp == V::kManyStamps || !word.initialised ? 0 : address;
    out.offset = 0;
    return out;
  }

  // What a table of known words may give: nothing when it is too long or a word is not known.
  std::optional<V> load_table(const State& s, Op op, const V& address, unsigned size, uint32_t pc) {
    if ((address.high - address.low) / size >= kMostTable)
      return std::nullopt;
    charge((address.high - address.low) / size / kWordsAStep, pc);
    std::optional<V> out;
    for (uint32_t at = address.low; at <= address.high; at += size) {
      const V* word = s.words.find(at & ~3u);
      if (!word || !word->initialised || (size < 4 && !word->is_constant()))
        return std::nullopt;
      const uint32_t raw = word->low >> (8 * (at & 3));
      const V one = size == 4 ? *word : V::constant(riscv::extend(op, raw & ((1u << (8 * size)) - 1)));
      out = out ? join(*out, one) : one;
    }
    out->home = out->stamp = out->offset = 0;
    return out;
  }

  V load(State& s, Op op, const V& address, uint32_t pc) {
    const unsigned size = riscv::access_size(op);
    if (!aligned(address, size))
      reject(Rule::LoadBounds, pc, "load from " + extent(address) + " may be misaligned");
    V out;
    if (inside(address, size, kDataBase, kDataBytes)) {
      check_object(address, size, Rule::LoadBounds, pc);
      const uint32_t last = address.high + size - 1;
      charge(KnownWords::pages_between(address.low, last) / kWordsAStep, pc);
      const V* known = size == 4 && address.is_constant() ? s.words.find(address.low) : nullptr;
      if (known)
        return load_word(address.low, *known);
      if (const auto table = load_table(s, op, address, size, pc))
        return *table;
      looked_at_ |= KnownWords::pages_of(address.low, last);
      out.initialised = s.words.initialised(address.low, last);
    } else if (
        !inside(address, size, kSoftBase, 4 * kSoftRegs) &&
        !inside(address, size, kIoBase, 4 * kIoRegs + 4) &&
        !inside(address, size, kControlBase, kControlBytes)) {
      reject(Rule::LoadBounds, pc, "load from " + extent(address) + " may leave the map");
    }
    if (op == Op::Lbu) {
      out.high = 255;
      out.zeros = ~255u;
    }
    if (op == Op::Lhu) {
      out.high = 65535;
      out.zeros = ~65535u;
    }
    return out;
  }

  void store_word(State& s, unsigned from, uint32_t address, const V& value, PathCost& cost) {
    if (options_.counter.address == address)
      charge_counter(s, value, cost);
    if (address < lowest_stack_)
      changed_[(address - kDataBase) / 4] = true;
    V kept = value;
    kept.home = kept.offset = 0;
    kept.id = kept.of = kept.by = 0;
    kept.stamp = ++stamp_;
    if (s.words.shares(address))
      charge(kPageSteps, s.pc);
    s.words.set(address, kept);
    if (from == 0 || !value.initialised)
      return;
    V& source = s.x[from];
    source.home = address;
    source.stamp = kept.stamp;
    source.offset = 0;
  }

  // The most by which this store raises the counter (lowers it, for a negative weight), times the weight.
  void charge_counter(const State& s, const V& value, PathCost& cost) const {
    const V* before = s.words.find(options_.counter.address);
    const int64_t weight = options_.counter.weight;
    const V old = before ? *before : V::any();
    const bool step = before && value.home == options_.counter.address && value.stamp == old.stamp;
    int64_t most = int64_t{value.high} - old.low;
    int64_t least = int64_t{value.low} - old.high;
    if (step)
      most = least = int32_t(value.offset);
    int64_t change = weight >= 0 ? most : -least;
    if (in_loop_ > 0 || open_loops_ > 0)
      change = std::max<int64_t>(change, 0);
    const int64_t amount = std::abs(weight);
    if (change > 0 && amount > PathCost::kMostCharged / change)
      cost.charged = PathCost::kMostCharged;
    else
      cost.charged = std::min(cost.charged + amount * change, PathCost::kMostCharged);
  }

  // Saving a register that was never set is no use of it: a whole word at a known place on the stack, so that
  // the word can be told from the others.
  void
  store(State& s, const riscv::Instruction& n, const V& address, uint32_t pc, PathCost& cost, bool may_save) {
    const unsigned size = riscv::access_size(n.op);
    if (!aligned(address, size))
      reject(Rule::StoreBounds, pc, "store to " + extent(address) + " may be misaligned");
    const bool scratchpad = inside(address, size, kDataBase, kDataBytes);
    if (scratchpad)
      check_object(address, size, Rule::StoreBounds, pc);
    const bool word = scratchpad && size == 4 && address.is_constant();
    const V value = word && may_save && n.rs1 == 2 ? s.x[n.rs2] : read(s, n.rs2, pc);
    if (scratchpad && open_loops_ > 0)
      stored_.push_back({address.low, address.high + size - 1});
    if (word) {
      store_word(s, n.rs2, address.low, value, cost);
    } else if (scratchpad) {
      const uint32_t last = address.high + size - 1;
      charge(KnownWords::pages_between(address.low, last) / kWordsAStep, pc);
      if (options_.counter.address + 3 >= address.low && options_.counter.address <= last)
        cost.charged = PathCost::kMostCharged;
      s.words.forget(address.low, last);
    } else if (inside(address, size, kFifoBase, 0x1000)) {
      put_out(cost, size);
    } else if (size == 4 && inside(address, size, kSoftBase, 4 * kSoftRegs)) {
      if (image_.soft_logic.empty())
        reject(Rule::Taint, pc, "a store to the soft-logic registers, but the image has no soft logic");
    } else {
      reject(Rule::StoreBounds, pc, "store to " + extent(address) + " may leave what is writable");
    }
  }

  const Image& image_;
  const std::vector<TileOp>& code_;
  const std::vector<uint32_t>& meets_;
  const std::vector<uint32_t>& loops_;
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
  std::set<uint32_t> compared_;
  std::bitset<KnownWords::kPages> looked_at_;
  std::vector<bool> changed_ = std::vector<bool>(kDataBytes / 4);
  std::vector<uint32_t> noted_ =
      std::vector<uint32_t>(kCodeBytes / 4);  // by instruction: the last constant compared
  std::vector<BranchStep> path_;              // open branches
  // A state to be met again, and the jumps back until the next is kept.
  State anchor_;
  uint32_t anchor_pc_ = kExit;
  uint64_t jumps_back_ = 0;
  uint64_t next_anchor_ = 1;
  int in_loop_ = 0;
  // While a loop's stores are looked for: where they go.
  struct Range {
    uint32_t low;
    uint32_t high;
  };
  std::vector<Range> stored_;
  int open_loops_ = 0;
};

}  // namespace

Exploration explore(
    const Program& program,
    RegionKind kind,
    const KnownWords& start,
    const ExploreOptions& options,
    uint64_t& budget,
    const base::Progress& progress) {
  return Explorer(program, kind, options, budget, progress).explore(start);
}

}  // namespace lento::tile
