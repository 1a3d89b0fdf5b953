// The control flow of the explorer: branches follow both ways and join them, jumps through registers follow
// every possible target, and hardware loops run their body once with everything a round may change widened.
#include "tile/unit/verify/explorer_impl.h"

namespace lento::tile {

void Explorer::branch(State& s, const TileOp& op, int depth, PathCost& cost) {
  const uint32_t pc = s.pc;
  const uint32_t target = pc + uint32_t(op.base.imm);
  const V& left = read(s, op.base.rs1, pc);
  const V& right = read(s, op.base.rs2, pc);
  tested_.insert({left.home, right.home});
  const bool equality = op.base.op == Op::Beq || op.base.op == Op::Bne;
  const std::optional<uint32_t> distance = equality ? distance_of(left, right, UINT32_MAX) : std::nullopt;
  const Truth truth = !distance                                     ? abstract_branch(op.base.op, left, right)
                      : (*distance == 0) == (op.base.op == Op::Beq) ? Truth::Yes
                                                                    : Truth::No;
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
  if (jumps) {
    take(other, target, jump_cost);
    learn_of_time(other, op, equality && op.base.op == Op::Bne);
  }
  if (falls)
    learn_of_time(s, op, equality && op.base.op == Op::Beq);
  if (!jumps)
    return cost.add(fall_cost);
  if (!falls) {
    s = std::move(other);
    return cost.add(jump_cost);
  }
  const Stop meet{meeting_place(pc / 4), s.calls.size()};
  path_.push_back({pc, false});
  begin_way();
  run(s, meet, depth + 1, fall_cost);
  path_.back().taken = true;
  begin_way();
  run(other, meet, depth + 1, jump_cost);
  begin_way();
  join_states(s, other, pc, fall_cost, jump_cost);
  path_.pop_back();
  cost.add(PathCost::worst_of(fall_cost, jump_cost));
  bound(cost, pc);
}

void Explorer::compare(State& s, const TileOp& op, int depth, PathCost& cost) {
  const uint32_t pc = s.pc;
  const riscv::Instruction& n = op.base;
  const bool immediate = n.op == Op::Slti || n.op == Op::Sltiu;
  const Op test = n.op == Op::Slt || n.op == Op::Slti ? Op::Blt : Op::Bltu;
  V right = immediate ? V::constant(uint32_t(n.imm)) : read(s, n.rs2, pc);
  V left = read(s, n.rs1, pc);
  tested_.insert({left.home, right.home});
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
    reflect(one, a);
    if (!immediate) {
      write(one, n.rs2, b);
      reflect(one, b);
    }
    write(one, n.rd, V::constant(less));
    one.pc = pc + 4;
    PathCost its = new_cost();
    learn_of_time(one, op, false);
    run(one, {kExit, s.calls.size()}, depth + 1, its);
    join_alternative(joined, all, std::move(one), its, pc);
  }
  s = std::move(*joined);
  cost.add(all);
  bound(cost, pc);
}

// Joins one more path that reaches the same place. `joined` holds the joined state, `all` the highest costs.
void Explorer::join_alternative(
    std::optional<State>& joined,
    PathCost& all,
    State one,
    PathCost its,
    uint32_t pc) {
  begin_way();
  if (!joined) {
    joined = std::move(one);
    all = std::move(its);
    return;
  }
  join_states(*joined, one, pc, all, its);
  all = PathCost::worst_of(all, its);
}

void Explorer::take_back(State& s, uint32_t target, PathCost& cost) {
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

// Follows a jump through a register to each of its possible targets and joins the results.
void Explorer::jump_to_any(State& s, const TileOp& op, const V& target, int depth, PathCost& cost) {
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
    join_alternative(joined, all, std::move(one), its, pc);
  }
  s = std::move(*joined);
  cost.add(all);
  bound(cost, pc);
}

// Follows a jump or call.
void Explorer::jump(State& s, const TileOp& op, int depth, PathCost& cost) {
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

void Explorer::loop(State& s, const TileOp& op, PathCost& cost) {
  const uint32_t pc = s.pc;
  uint64_t most = op.count;
  uint64_t least = op.count;
  if (op.custom == Custom::Loop) {
    const V& count = read(s, op.base.rs1, pc);
    most = std::max(count.high, 1u);
    least = std::max(count.low, 1u);
    spend(cost, pc, 1, 1);  // the fetch behind a jump waits until it reaches EX
  }
  if (most > kLoopLimit)
    reject(Rule::Unbounded, pc, "the loop count may be " + std::to_string(most) + ", more than 2^20");
  for (uint32_t at = pc / 4 + 1; at <= pc / 4 + op.length; ++at) {
    const TileOp& in = code_[at];
    if (in.writes_rd() && s.x[in.base.rd].initialised)
      s.x[in.base.rd] = V::any();
  }
  const std::array<V, 32> before = s.x;
  charge_counter(s, cost);
  forget_stored(s, op.length);
  PathCost body = new_cost();
  ++in_loop_;
  begin_counter(s);
  run_body(s, op.length, body);
  charge_counter(s, body);
  --in_loop_;
  for (unsigned i = 0; i < 32; ++i) {
    if (before[i].initialised)
      read(s, i, pc);
  }
  cost.add(body.repeated(most, least));
  bound(cost, pc);
}

// Executes one round of a hardware loop on abstract values.
void Explorer::run_body(State& s, uint32_t length, PathCost& cost) {
  const uint32_t start = s.pc + 4;
  const uint32_t end = start + 4 * length;
  s.pc = start;
  // A round may begin while values of the previous round are still in the histogram pipeline.
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

// Forgets the memory words that a loop body may store, by a trial round.
void Explorer::forget_stored(State& s, uint32_t length) {
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

}  // namespace lento::tile
