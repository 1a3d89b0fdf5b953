// Executes the loops of short_loops.h on abstract values. Instructions, rounds and remembered results of a
// loop are bounded (kMostInstructions, kMostShortRounds, kMostKnown). A loop with more instructions or rounds
// is left to the explorer.
#include "tile/unit/verify/short_loops.h"

#include <algorithm>

namespace lento::tile {
namespace {

using riscv::Op;
using V = AbstractValue;

constexpr uint32_t kMostInstructions = 32;
constexpr uint64_t kMostShortRounds = 64;
constexpr size_t kMostKnown = 8;  // results that are cached for a loop

uint32_t bit_of(unsigned reg) {
  return reg == 0 ? 0 : uint32_t{1} << reg;
}

// Returns whether the instruction reads and writes registers alone, and does not write the stack pointer or
// read the program counter.
bool is_arithmetic(const TileOp& op) {
  const Op o = op.base.op;
  if (op.custom != Custom::None || o == Op::Illegal || o == Op::Fence || o == Op::Auipc || op.base.rd == 2)
    return false;
  return !riscv::is_load(o) && !riscv::is_store(o) && !riscv::is_branch(o) && !riscv::is_jump(o);
}

bool is_short(const std::vector<TileOp>& code, uint32_t head, uint32_t branch) {
  if (branch - head >= kMostInstructions)
    return false;
  return std::all_of(code.begin() + head, code.begin() + branch, is_arithmetic);
}

// Returns the value without its term and congruence.
V plain(const V& value) {
  V out = value;
  out.term = {};
  out.modulus = out.residue = out.reach = 0;
  return out;
}

void step(const TileOp& op, ShortLoops::Registers& x) {
  const riscv::Instruction& n = op.base;
  const V immediate = V::constant(uint32_t(n.imm));
  if (n.rd == 0)
    return;
  if (n.op == Op::Lui)
    x[n.rd] = immediate;
  else
    x[n.rd] = plain(abstract_alu(n.op, x[n.rs1], riscv::reads_rs2(n.op) ? x[n.rs2] : immediate));
}

}  // namespace

// Finds the branches back over at most kMostInstructions instructions that are all arithmetic but the branch.
// The rounds of such a loop can be counted by executing it.
ShortLoops::ShortLoops(const std::vector<TileOp>& code)
    : code_(code),
      heads_(code.size()) {
  for (uint32_t at = 0; at < code.size(); ++at) {
    const riscv::Instruction& n = code[at].base;
    const int64_t target = int64_t{at} + n.imm / 4;
    // When it is taken, a branch by a distance that is not a multiple of 4 bytes faults, which the explorer
    // reports.
    if (!riscv::is_branch(n.op) || n.imm % 4 != 0)
      continue;
    if (target < 0 || target > at || !is_short(code, uint32_t(target), at))
      continue;
    Loop loop;
    loop.head = uint32_t(target);
    loop.branch = at;
    for (uint32_t i = loop.head; i <= at; ++i) {
      const TileOp& op = code[i];
      const uint32_t reads =
          (op.reads_rs1() ? bit_of(op.base.rs1) : 0) | (op.reads_rs2() ? bit_of(op.base.rs2) : 0);
      loop.reads |= reads & ~loop.writes;
      if (op.writes_rd())
        loop.writes |= bit_of(op.base.rd);
    }
    heads_[loop.head] = true;
    loops_.emplace(loop.head, std::move(loop));
  }
}

ShortLoops::Loop* ShortLoops::at(uint32_t index) {
  return index < heads_.size() && heads_[index] ? &loops_.find(index)->second : nullptr;
}

// Executes a loop with the registers `x` until its branch is certainly not taken (Run::ends), is undecided,
// or kMostShortRounds are reached.
ShortLoops::Run ShortLoops::follow(const Loop& loop, Registers x) const {
  Run out;
  const TileOp& back = code_[loop.branch];
  while (out.rounds < kMostShortRounds) {
    ++out.rounds;
    for (uint32_t at = loop.head; at < loop.branch; ++at)
      step(code_[at], x);
    const V& left = x[back.base.rs1];
    const V& right = x[back.base.rs2];
    const Truth again = abstract_branch(back.base.op, left, right);
    if (again == Truth::Yes)
      continue;
    out.ends = again == Truth::No;
    break;
  }
  for (unsigned reg = 1; reg < 32; ++reg) {
    if (loop.writes & bit_of(reg))
      out.writes.push_back({uint8_t(reg), x[reg]});
  }
  return out;
}

const ShortLoops::Run* ShortLoops::run(Loop& loop, const Registers& x, uint64_t& steps) const {
  std::vector<V> begin;
  for (unsigned reg = 1; reg < 32; ++reg) {
    if (!(loop.reads & bit_of(reg)))
      continue;
    if (!x[reg].initialised)
      return nullptr;
    begin.push_back(plain(x[reg]));
  }
  steps = 1;
  for (const Run& known : loop.known) {
    if (std::ranges::equal(known.begin, begin, &V::same_value))
      return &known;
  }
  Registers start = x;
  for (V& v : start)
    v = plain(v);
  Run found = follow(loop, start);
  found.begin = std::move(begin);
  steps += found.rounds * loop.instructions();
  if (loop.known.size() < kMostKnown)
    return &loop.known.emplace_back(std::move(found));
  loop.next = (loop.next + 1) % kMostKnown;
  loop.known[loop.next] = std::move(found);
  return &loop.known[loop.next];
}

}  // namespace lento::tile
