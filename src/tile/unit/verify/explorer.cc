// Explores all paths of one region of a tile program on abstract values, from its entry to its return. The
// loop here steps through straight code. Branches, jumps and loops are in explorer_flow.cc, loads and stores
// in explorer_memory.cc. Cost: the budget of steps bounds time and memory.
#include "riscv/alu.h"
#include "tile/unit/histogram.h"
#include "tile/unit/verify/explorer_impl.h"
#include "tile/unit/verify/relation.h"

namespace lento::tile {

Exploration Explorer::explore(const KnownWords& words) {
  try {
    return from_entry(words);
  } catch (Violation& violation) {
    violation.path = path_;
    throw;
  }
}

// Explores all paths from the entry of the region.
Exploration Explorer::from_entry(const KnownWords& words) {
  const uint32_t entry = kind_ == RegionKind::Init   ? 0
                         : kind_ == RegionKind::Main ? image_.main_entry
                                                     : kFinishEntry;
  check_target(entry, entry);
  State start;
  for (V& v : start.x)
    v.initialised = kind_ == RegionKind::Init;
  start.words = words;
  if (kind_ != RegionKind::Init)
    names_ = stamp_ = kNumbersAfterInit;  // words that only init stored keep its numbers
  begin_counter(start);
  start.x[0] = V::constant(0);
  start.x[1] = V::constant(kReturnAddress);
  start.x[2] = V::constant(kStackTop);
  start.calls = {{kReturnAddress, entry}};
  start.pc = entry;
  PathCost cost = new_cost();
  spend(cost, entry, 2, 2);  // fetch and decode of the first instruction
  run(start, {kExit, 1}, 0, cost);
  charge_counter(start, cost);
  if (!start.x[2].same_value(V::constant(kStackTop)))
    reject(Rule::Stack, entry, "the stack pointer is not put back at the return");
  std::erase_if(changed_, [&](uint32_t cell) {
    return !tested_.contains(cell);
  });
  return {
      cost,
      kStackTop - lowest_stack_,
      steps_,
      std::move(start.words),
      std::move(time_words_),
      std::move(changed_),
      looked_at_};
}

void Explorer::run(State& s, const Stop& stop, int depth, PathCost& cost) {
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

bool Explorer::short_loop(State& s, uint32_t from, const Stop& stop, PathCost& cost) {
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
  const uint64_t cycles = run->rounds * loop->instructions() + 2 * (run->rounds - 1);
  add_cycles(cost, cycles, cycles);
  s.filling -= uint32_t(std::min<uint64_t>(s.filling, run->rounds * loop->instructions()));
  s.pc = 4 * loop->branch + 4;
  return true;
}

// Returns the abstract address of a load or store, with its modulus and its relation to an unknown number
// (AbstractValue).
V Explorer::address_of(const State& s, const riscv::Instruction& n, uint32_t pc) const {
  const V& base = read(s, n.rs1, pc);
  const V offset = V::constant(uint32_t(n.imm));
  V out = abstract_alu(Op::Addi, base, offset);
  keep_modulus(Op::Addi, base, offset, out);
  relate(Op::Addi, base, offset, out);
  return out;
}

// Executes an instruction that is no jump on abstract values.
void Explorer::straight(State& s, const TileOp& op, PathCost& cost, uint32_t loop_start) {
  const uint32_t pc = s.pc;
  const riscv::Instruction& n = op.base;
  s.pc = pc + 4;
  if (op.custom != Custom::None)
    return custom(s, op, pc, cost, loop_start);
  if (riscv::is_load(n.op)) {
    const V address = address_of(s, n, pc);
    write(s, n.rd, load(s, n.op, address, pc));
    if (n.rd != 0 && uses_next(pc, n.rd, loop_start))
      spend(cost, pc, 1, 0);
  } else if (riscv::is_store(n.op)) {
    const V address = address_of(s, n, pc);
    store(s, n, address, pc, cost, loop_start == kExit);
  } else if (n.op == Op::Lui) {
    write(s, n.rd, V::constant(uint32_t(n.imm)));
  } else if (n.op == Op::Auipc) {
    write(s, n.rd, V::constant(pc + uint32_t(n.imm)));
  } else if (n.op != Op::Fence) {
    arithmetic(s, n, pc);
  }
}

// Makes the value an unknown number of its own (AbstractValue::id). When it was another number plus a
// constant, origins_ keeps both.
void Explorer::renumber(V& v) {
  const V old = v;
  v.forget_number();
  name(v);
  if (old.id != 0 && old.factor == 1 && old.mask == UINT32_MAX && origins_.size() < kMostOrigins)
    origins_[v.id] = {old.id, old.plus};
}

// Executes an arithmetic instruction on abstract values.
void Explorer::arithmetic(State& s, const riscv::Instruction& n, uint32_t pc) {
  V immediate;
  if (!riscv::reads_rs2(n.op))
    immediate = V::constant(uint32_t(n.imm));
  const V& b = riscv::reads_rs2(n.op) ? read(s, n.rs2, pc) : immediate;
  const bool masks_or_shifts = n.op == Op::And || n.op == Op::Andi || n.op == Op::Slli;
  if (masks_or_shifts)
    tested_.insert(s.x[n.rs1].home);
  const bool keeps = n.op != Op::Slli && b.is_constant() && (s.x[n.rs1].zeros | b.low) == UINT32_MAX;
  if (masks_or_shifts && b.is_constant() && !keeps && !can_relate(n.op, s.x[n.rs1], b))
    renumber(s.x[n.rs1]);
  name(s.x[n.rs1]);
  const V& a = read(s, n.rs1, pc);
  V result = abstract_alu(n.op, a, b);
  if (n.op == Op::And)
    count_ones(a, b, result);
  const bool swapped = n.op == Op::Add && a.is_constant();
  const V& left = swapped ? b : a;
  const V& right = swapped ? a : b;
  keep_modulus(n.op, left, right, result);
  relate(n.op, left, right, result);
  relate_time(n.op, left, right, result);
  write(s, n.rd, result);
  if (n.rd == 2)
    note_stack(s.x[2], pc);
}

// Executes an instruction of the tile's extension on abstract values.
void Explorer::custom(State& s, const TileOp& op, uint32_t pc, PathCost& cost, uint32_t loop_start) {
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

Exploration explore(
    const Region& region,
    const ExploreOptions& options,
    uint64_t& budget,
    const base::Progress& progress) {
  return Explorer(region.program, region.kind, options, budget, progress).explore(region.start);
}

}  // namespace lento::tile
