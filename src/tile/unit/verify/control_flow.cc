// Computes the immediate post-dominators of a tile program's control-flow graph. Nodes are numbered with an
// explicit stack, because the depth would follow from untrusted code. Source: Cooper, Harvey, Kennedy 2001.
// Cost: a fixed point, which takes few rounds on the graphs of compilers.
#include "tile/unit/verify/control_flow.h"

#include <algorithm>
#include <array>

#include "tile/unit/memory.h"

namespace lento::tile {
namespace {

using riscv::Op;

// Returns at most two successors. Node `size` is the exit.
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

// Computes the dominators of the reversed graph from its exit (Cooper, Harvey, Kennedy: "A simple, fast
// dominance algorithm").
std::vector<uint32_t> post_dominators(const std::vector<TileOp>& code) {
  const auto exit = uint32_t(code.size());
  std::vector<std::vector<uint32_t>> predecessors(exit + 1);
  for (uint32_t at = 0; at < exit; ++at) {
    for (const uint32_t to : successors(code, at))
      predecessors[to].push_back(at);
  }
  // Numbers the nodes in post-order.
  std::vector<uint32_t> order(exit + 1, kExit);
  std::vector<uint32_t> list;
  std::vector<uint32_t> next_edge(exit + 1, 0);
  std::vector<uint32_t> stack = {exit};
  std::vector<bool> seen(exit + 1, false);
  seen[exit] = true;
  while (!stack.empty()) {
    const uint32_t at = stack.back();
    if (next_edge[at] < predecessors[at].size()) {
      const uint32_t from = predecessors[at][next_edge[at]++];
      if (!seen[from]) {
        seen[from] = true;
        stack.push_back(from);
      }
      continue;
    }
    order[at] = uint32_t(list.size());
    list.push_back(at);
    stack.pop_back();
  }
  std::vector<uint32_t> dominator(exit + 1, kExit);
  dominator[exit] = exit;
  const auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (order[a] < order[b])
        a = dominator[a];
      while (order[b] < order[a])
        b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = list.size(); i-- > 0;) {
      const uint32_t at = list[i];
      if (at == exit)
        continue;
      uint32_t best = kExit;
      for (const uint32_t to : successors(code, at)) {
        if (dominator[to] == kExit)
          continue;
        best = best == kExit ? to : meet(best, to);
      }
      if (best != kExit && dominator[at] != best) {
        dominator[at] = best;
        changed = true;
      }
    }
  }
  for (uint32_t& d : dominator)
    d = d == exit ? kExit : d;
  dominator.resize(exit);
  return dominator;
}

}  // namespace lento::tile
