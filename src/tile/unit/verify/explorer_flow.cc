// The control flow of the explorer. A branch, or a jump through a register, that can go several ways splits
// its path, and paths are joined again where they meet (Path::place). A hardware loop executes its body once,
// on registers and words that are unknown when a round may write them.
#include "tile/unit/verify/explorer_impl.h"

namespace lento::tile {

std::pair<V, V> Explorer::named(State& s, const riscv::Instruction& n, uint32_t pc) {
  read(s, n.rs1, pc);
  name(s.x[n.rs1]);
  if (!riscv::reads_rs2(n.op))
    return {s.x[n.rs1], V::constant(uint32_t(n.imm))};
  read(s, n.rs2, pc);
  name(s.x[n.rs2]);
  return {s.x[n.rs1], s.x[n.rs2]};
}

void Explorer::wait(Path path) {
  const uint32_t pc = path.state.pc;
  bound(path.cost, pc);
  std::vector<uint32_t> place = path.place;
  const auto [at, is_first] = waiting_.try_emplace(std::move(place), std::move(path));
  if (is_first)
    return;
  join_paths(at->second, path);
  if (++at->second.joined > kMostBranches && options_.join == Join::AtMeeting)
    reject(Rule::Unbounded, pc, "a loop without a known bound");
}

bool Explorer::arrive(Path& path, uint32_t from, size_t calls) {
  State& s = path.state;
  std::vector<uint32_t>& place = path.place;
  const bool is_apart = options_.join == Join::AtEnd;
  const uint32_t at = s.pc / 4;
  if (s.calls.empty()) {
    place = {UINT32_MAX};  // after all others
    return true;
  }
  if (at >= program_.code.size())
    return false;
  State::Call& open = s.calls.back();
  const bool returned = s.calls.size() < calls;
  if (s.calls.size() > calls) {
    if (is_apart && calls > 0)
      place.resize(s.calls[calls - 1].place + 1);
    open.place = place.size();
    if (is_apart)
      place.push_back(UINT32_MAX - ++paths_);
    else
      move(place, open.place, kExit, at);
  } else if (!is_apart && (returned || s.pc != from + 4 || program_.order.meets[at])) {
    move(place, open.place, returned ? at - 1 : from / 4, at);
  } else if (returned) {
    place.resize(open.place + 1);
    place.push_back(UINT32_MAX);  // after the paths in the call
  }
  return (returned || (!is_apart && program_.order.meets[at])) && !waiting_.empty() &&
         waiting_.begin()->first <= place;
}

void Explorer::move(std::vector<uint32_t>& place, size_t begin, uint32_t from, uint32_t to) const {
  static const std::vector<uint32_t> none;
  const VisitOrder& order = program_.order;
  const std::vector<uint32_t>& left = from == kExit ? none : order.loops[from];
  const std::vector<uint32_t>& loops = order.loops[to];
  const size_t same = size_t(std::ranges::mismatch(left, loops).in2 - loops.begin());
  place.resize(begin + 2 * same);
  if (same > 0 && same == loops.size() && loops.back() == to && ++place.back() > kMostRounds)
    reject(Rule::Unbounded, 4 * from, "a loop may run more than " + std::to_string(kMostRounds) + " rounds");
  for (size_t i = same; i < loops.size(); ++i)
    place.insert(place.end(), {order.rank[loops[i]], 0});
  place.push_back(order.rank[to]);
}

Path Explorer::split(const Path& path, uint32_t pc) {
  charge(kCopySteps, pc);
  Path out = path;
  if (options_.join == Join::AtEnd) {
    out.place.resize(path.state.calls.back().place + 1);
    out.place.back() = UINT32_MAX - ++paths_;
  }
  return out;
}

void Explorer::join_paths(Path& first, Path& second) {
  State& a = first.state;
  State& b = second.state;
  if (a.pc != b.pc || a.calls.size() != b.calls.size())
    reject(Rule::ControlFlow, a.pc, "two paths return to different places");
  const bool alike = a.before == b.before && std::ranges::all_of(options_.tracked, [&](const Tracked& t) {
                       return a.words.value(t.cell) == b.words.value(t.cell);
                     });
  if (!alike) {
    add_changes(a, first.cost);
    add_changes(b, second.cost);
  }
  for (size_t i = 1; i < 32; ++i)
    a.x[i] = join(a.x[i], b.x[i]);
  a.words.merge(b.words, join);
  a.histogram_wait = std::max(a.histogram_wait, b.histogram_wait);
  a.streamed |= b.streamed;
  std::erase_if(a.compared, [&](V& v) {
    const auto other = std::ranges::find(b.compared, v.term, &V::term);
    if (other == b.compared.end())
      return true;
    v = join(v, *other);
    return false;
  });
  for (size_t i = 0; i < a.before.size(); ++i)
    a.before[i] = join(a.before[i], b.before[i]);
  if (!alike)
    record(a);
  first.cost = PathCost::worst_of(first.cost, second.cost);
  const auto same = std::ranges::mismatch(first.branches, second.branches);
  first.branches.erase(same.in1, first.branches.end());
}

bool Explorer::decide(Path& path, const TileOp& op) {
  State& s = path.state;
  const uint32_t pc = s.pc;
  const riscv::Instruction& n = op.base;
  const bool branches = riscv::is_branch(n.op);
  const Op test = branches ? n.op : n.op == Op::Slt || n.op == Op::Slti ? Op::Blt : Op::Bltu;
  const auto [left, right] = named(s, n, pc);
  suggest(left, right);
  suggest(right, left);
  const bool equality = test == Op::Beq || test == Op::Bne;
  const std::optional<uint32_t> apart = equality ? distance(left, right, UINT32_MAX) : std::nullopt;
  const Truth truth = !apart                               ? abstract_branch(test, left, right)
                      : (*apart == 0) == (test == Op::Beq) ? Truth::Yes
                                                           : Truth::No;
  const auto go_on = [&](State& at, bool holds, PathCost& its) {
    at.pc = pc + 4;
    if (!branches)
      return write(at, n.rd, V::constant(holds));
    if (!holds)
      return;
    at.pc = pc;
    take(at, pc + uint32_t(n.imm), its);
  };
  if (truth != Truth::Unknown) {
    go_on(s, truth == Truth::Yes, path.cost);
    return true;
  }
  const size_t calls = s.calls.size();
  std::vector<Path> ways;
  for (const bool holds : {false, true}) {
    Path way = holds ? std::move(path) : split(path, pc);
    if (!learn(way.state, test, holds, left, right))
      continue;
    go_on(way.state, holds, way.cost);
    if (branches)
      way.branches.push_back({pc, holds});
    ways.push_back(std::move(way));
  }
  if (ways.size() == 1 && branches)
    ways[0].branches.pop_back();
  for (Path& way : ways) {
    if (way.branches.size() > kMostBranches)
      reject(
          Rule::Unbounded,
          pc,
          "more than " + std::to_string(kMostBranches) + " open branches: a loop without a known bound");
    arrive(way, pc, calls);
    wait(std::move(way));
  }
  return false;
}

bool Explorer::learn(State& s, Op test, bool taken, V a, V b) {
  refine(test, taken, a, b);
  if (a.empty() || b.empty())
    return false;
  reflect(s, a);
  reflect(s, b);
  if ((test != Op::Beq && test != Op::Bne) || a.is_constant() || b.is_constant())
    return true;
  // a - b is 0 exactly when a and b are equal. This narrows also the other values over the same difference of
  // two numbers, which `apart` has as its term.
  V apart = related_alu(Op::Sub, a, b);
  if (apart.term.number == 0)
    apart = related_alu(Op::Sub, b, a);
  V zero = V::constant(0);
  refine(test, taken, apart, zero);
  if (!apart.empty())
    reflect(s, apart);
  return true;
}

void Explorer::take(State& s, uint32_t target, PathCost& cost) {
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

void Explorer::call(State& s, unsigned link, uint32_t target) {
  for (const State::Call& open : s.calls) {
    if (open.entry == target)
      reject(Rule::Recursion, s.pc, "the function at " + base::hex(target) + " calls itself");
  }
  write(s, link, V::constant(s.pc + 4));
  s.calls.push_back({s.pc + 4, target});
}

// Rejects the program when the addresses that the register may hold are not known, or when it is no call and
// goes to a single known address that is not the return address of the open call.
bool Explorer::jump(Path& path, const TileOp& op) {
  State& s = path.state;
  const uint32_t pc = s.pc;
  const bool links = op.base.rd != 0;
  if (op.base.op == Op::Jal) {
    const uint32_t target = pc + uint32_t(op.base.imm);
    if (links)
      call(s, op.base.rd, target);
    take(s, target, path.cost);
    return true;
  }
  const V target = abstract_alu(Op::Addi, read(s, op.base.rs1, pc), V::constant(uint32_t(op.base.imm)));
  if (!target.is_constant() && target.places == 0)
    reject(Rule::IndirectJump, pc, "jump through a register whose value is not known");
  if (target.is_constant()) {
    const bool returns = !links && !s.calls.empty() && target.low == s.calls.back().back;
    if (!returns && !links)
      reject(Rule::IndirectJump, pc, "jump through a register that is no return");
    if (links)
      call(s, op.base.rd, target.low);
    else if (target.low != kReturnAddress)
      s.calls.pop_back();
    take(s, target.low, path.cost);
    return true;
  }
  for (size_t i = 0; i < target.places; ++i) {
    Path way = split(path, pc);
    if (links)
      call(way.state, op.base.rd, target.place[i]);
    take(way.state, target.place[i], way.cost);
    arrive(way, pc, s.calls.size());
    wait(std::move(way));
  }
  return false;
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
    const TileOp& in = program_.code[at];
    if (in.writes_rd() && s.x[in.base.rd].initialised)
      s.x[in.base.rd] = V::any();
    s.streamed |= in.custom == Custom::HistIn;
  }
  const std::array<V, 32> before = s.x;
  add_changes(s, cost);
  forget_stored(s, op.length);
  PathCost body = new_cost();
  record(s);
  run_body(s, op.length, body);
  add_changes(s, body);
  for (unsigned i = 0; i < 32; ++i) {
    if (before[i].initialised)
      read(s, i, pc);
  }
  cost.add(body.repeated(most, least));
  bound(cost, pc);
}

// Executes the `length` instructions of a hardware loop's body once.
void Explorer::run_body(State& s, uint32_t length, PathCost& cost) {
  const uint32_t start = s.pc + 4;
  const uint32_t end = start + 4 * length;
  s.pc = start;
  // When a round begins, values of the previous round may still be in the histogram pipeline, or one of its
  // hist.rd may still occupy the accumulators (State::histogram_wait).
  for (uint32_t at = start / 4; at < end / 4; ++at) {
    if (takes_values(program_.code[at]) || program_.code[at].custom == Custom::HistRead)
      s.histogram_wait = kHistogramLatency;
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

// Makes the cells unknown that a loop's body may store. They are found by executing the body once on a copy
// of the state whose scratchpad is unknown.
void Explorer::forget_stored(State& s, uint32_t length) {
  charge(Scratchpad::kPages, s.pc);
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
