// Computes for each instruction the set of its post-dominators, the instructions on every path from it to the
// exit. The sets begin full and shrink until none changes, which takes few rounds on the graphs of compilers.
// Cost: in memory, a bit for each pair of instructions.
#include "tile/unit/verify/control_flow.h"

#include <array>
#include <bitset>

#include "tile/seal/image.h"

namespace lento::tile {
namespace {

using riscv::Op;

constexpr size_t kMostCode = kCodeBytes / 4;

// Returns the successors of instruction `at`, twice the same when there is one. The index code.size() is the
// exit.
std::array<uint32_t, 2> successors(const std::vector<TileOp>& code, uint32_t at) {
  const auto size = uint32_t(code.size());
  const riscv::Instruction& n = code[at].base;
  const auto node = [&](int64_t index) {
    return index >= 0 && index < size ? uint32_t(index) : size;
  };
  const uint32_t next = node(int64_t{at} + 1);
  const uint32_t target = node(int64_t{at} + n.imm / 4);
  if (!code[at].legal() || n.op == Op::Jalr)
    return {size, size};
  if (n.op == Op::Jal)
    return n.rd == 0 ? std::array{target, target} : std::array{next, next};
  if (riscv::is_branch(n.op))
    return {next, target};
  return {next, next};
}

}  // namespace

std::vector<uint32_t> post_dominators(const std::vector<TileOp>& code) {
  using Set = std::bitset<kMostCode + 1>;
  const size_t size = code.size();
  std::vector<uint32_t> out(size, kExit);
  if (size > kMostCode)
    return out;
  std::vector<Set> after(size, ~Set());
  after.push_back(Set().set(size));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t at = size; at-- > 0;) {
      const auto [next, target] = successors(code, uint32_t(at));
      const Set now = (after[next] & after[target]).set(at);
      changed |= now != after[at];
      after[at] = now;
    }
  }
  std::vector<size_t> count;
  for (const Set& set : after)
    count.push_back(set.count());
  // The immediate post-dominator of an instruction is the one of its post-dominators that has all of them but
  // the instruction itself, so one fewer.
  for (size_t at = 0; at < size; ++at) {
    for (size_t to = after[at]._Find_first(); to < size; to = after[at]._Find_next(to)) {
      if (count[to] + 1 == count[at])
        out[at] = uint32_t(to);
    }
  }
  return out;
}

}  // namespace lento::tile
