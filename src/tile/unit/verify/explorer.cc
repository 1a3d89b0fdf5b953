// Explores all paths of one region of a tile program on abstract values, from its entry to its return. The
// loop here steps through straight code. Branches, jumps and loops are in explorer_flow.cc, loads and stores
// in explorer_memory.cc. Cost: time and memory are bounded by the budget of steps (charge).

#include "riscv/alu.h"
#include "tile/unit/histogram.h"
#include "tile/unit/verify/explorer_impl.h"

namespace lento::tile {

Exploration Explorer::explore(const Scratchpad& words) {
  try {
    return from_entry(words);
  } catch (Violation& violation) {
    violation.path = branches_;
    throw;
  }
}

// Explores all paths from the region's entry, with the scratchpad `words`. Rejects the program when the stack
// pointer is not put back at the return.
Exploration Explorer::from_entry(const Scratchpad& words) {
  const uint32_t entry = kind_ == RegionKind::Init   ? 0
                         : kind_ == RegionKind::Main ? program_.image.main_entry
                                                     : kFinishEntry;
  check_target(entry, entry);
  Path path;
  State& start = path.state;
  for (V& v : start.x)
    v.initialised = kind_ == RegionKind::Init;
  start.words = words;
  if (kind_ != RegionKind::Init)
    numbers_ = kLastInitNumber;
  record(start);
  start.x[0] = V::constant(0);
  start.x[1] = V::constant(kReturnAddress);
  start.x[2] = V::constant(kStackTop);
  start.calls = {{kReturnAddress, entry}};
  start.pc = entry;
  path.cost = new_cost();
  spend(path.cost, entry, 2, 2);  // fetch and decode of the first instruction
  arrive(path, entry, 0);
  wait(std::move(path));
  for (;;) {
    if (waiting_.empty())
      reject(Rule::Unbounded, entry, "the region never returns");
    Path next = std::move(waiting_.extract(waiting_.begin()).mapped());
    if (next.state.calls.empty())
      return at_return(std::move(next));
    next.joined = 0;
    branches_ = next.branches;
    run(std::move(next));
  }
}

// Returns the result of the exploration, given the join of all paths at the region's return.
Exploration Explorer::at_return(Path path) {
  add_changes(path.state, path.cost);
  if (!path.state.x[2].same_value(V::constant(kStackTop)))
    reject(Rule::Stack, path.state.pc, "the stack pointer is not put back at the return");
  std::erase_if(suggested_, [&](const Tracked& t) {
    return !changed_.contains(t.cell);
  });
  return {
      std::move(path.cost),
      kStackTop - lowest_stack_,
      steps_,
      std::move(path.state.words),
      std::move(suggested_),
      looked_at_};
}

void Explorer::run(Path path) {
  State& s = path.state;
  uint32_t from = s.pc;
  for (;;) {
    const size_t calls = s.calls.size();
    const TileOp& op = fetch(s.pc, from);
    from = s.pc;
    count(s, op, path.cost);
    if (riscv::is_branch(op.base.op) || (options_.join == Join::AtEnd && compares(op))) {
      if (!decide(path, op))
        return;
    } else if (riscv::is_jump(op.base.op)) {
      if (!jump(path, op))
        return;
    } else if (op.custom == Custom::Loop || op.custom == Custom::LoopImmediate) {
      loop(s, op, path.cost);
    } else {
      straight(s, op, path.cost);
    }
    if (arrive(path, from, calls))
      return wait(std::move(path));
  }
}

void Explorer::count(State& s, const TileOp& op, PathCost& cost) const {
  if (op.custom != Custom::HistIn)
    spend(cost, s.pc, 1, 1);
  if (op.custom == Custom::Emit)
    spend(cost, s.pc, s.histogram_wait, 0);
  if (op.custom == Custom::HistRead && s.histogram_wait == kHistogramLatency)
    spend(cost, s.pc, 1, 0);
  const uint32_t left = s.histogram_wait - (s.histogram_wait > 0);
  s.histogram_wait = takes_values(op)                ? kHistogramLatency
                     : op.custom == Custom::HistRead ? std::max(left, 1u)
                                                     : left;
}

// Executes an instruction that is no branch, jump or hardware loop. `loop_start` is the first instruction of
// the hardware loop's body around it, kExit outside of one.
void Explorer::straight(State& s, const TileOp& op, PathCost& cost, uint32_t loop_start) {
  const uint32_t pc = s.pc;
  const riscv::Instruction& n = op.base;
  s.pc = pc + 4;
  if (op.custom != Custom::None)
    return custom(s, op, pc, cost, loop_start);
  if (riscv::is_load(n.op) || riscv::is_store(n.op)) {
    const V address = related_alu(Op::Addi, read(s, n.rs1, pc), V::constant(uint32_t(n.imm)));
    if (riscv::is_store(n.op))
      return store(s, n, address, pc, cost, loop_start == kExit);
    write(s, n.rd, load(s, n.op, address, pc));
    if (n.rd != 0 && uses_next(pc, n.rd, loop_start))
      spend(cost, pc, 1, 0);
  } else if (n.op == Op::Lui) {
    write(s, n.rd, V::constant(uint32_t(n.imm)));
  } else if (n.op == Op::Auipc) {
    write(s, n.rd, V::constant(pc + uint32_t(n.imm)));
  } else if (n.op != Op::Fence) {
    arithmetic(s, n, pc);
  }
}

// Executes an arithmetic instruction on abstract values.
void Explorer::arithmetic(State& s, const riscv::Instruction& n, uint32_t pc) {
  auto [a, b] = named(s, n, pc);
  if (n.op == Op::Add && a.is_constant())
    std::swap(a, b);
  write(s, n.rd, related_alu(n.op, a, b));
  if (n.rd == 2)
    note_stack(s.x[2], pc);
}

// Rejects the program when the stack pointer may leave the part of the scratchpad above the image's data.
// Keeps the lowest stack pointer in lowest_stack_, from which Exploration::stack_bytes follows.
void Explorer::note_stack(const V& sp, uint32_t pc) {
  if (sp.low < kDataBase + program_.image.data.size() || sp.high > kStackTop) {
    reject(
        Rule::Stack,
        pc,
        "the stack pointer may leave the free scratchpad: " + base::hex(sp.low) + ".." + base::hex(sp.high));
  }
  lowest_stack_ = std::min(lowest_stack_, sp.low);
}

// Executes an instruction of the tile's extension (isa.h). Adds to `cost` its bytes of output and the cycles
// that count() does not: that of hist.in, those of emit beyond the first, and the wait of the instruction
// that uses the result of hist.rd.
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
    stream(s, op, pc, cost);
  if (op.custom == Custom::Emit) {
    const uint32_t bytes = HistogramUnit::emit_bytes(op.count);
    cost.add_bytes(bytes);
    spend(cost, pc, (bytes + 3) / 4 - 1, (bytes + 3) / 4 - 1);
  }
}

// Adds the cost of hist.in. It is 1 cycle in any case, because the wait for inputs is not counted, but the
// two IORegs count as a taken input only when the image uses one of them. Rejects a hist.in that would wait
// outside main.
void Explorer::stream(State& s, const TileOp& op, uint32_t pc, PathCost& cost) const {
  const uint32_t needed = (3u << (2 * op.count)) & program_.image.input_mask;
  if (needed == 0)
    return spend(cost, pc, 1, 1);  // no operand to wait for
  if (kind_ != RegionKind::Main)
    reject(Rule::Unbounded, pc, "hist.in waits for ever: inputs come only while main runs");
  s.streamed = true;
  if (!cost.profile.empty())
    ++cost.profile[pc / 4];
  cost.add(PathCost::hist_in(needed != program_.image.input_mask));
}

Exploration explore(
    const Region& region,
    const ExploreOptions& options,
    uint64_t& budget,
    const base::Progress& progress) {
  return Explorer(region, options, budget, progress).explore(region.start);
}

}  // namespace lento::tile
