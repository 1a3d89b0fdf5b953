// Computes post-dominators as dominators of the graph with its edges reversed, by the iteration of Cooper,
// Harvey and Kennedy ("A simple, fast dominance algorithm", 2001). It takes few rounds on the graphs of
// compilers.
#include "tile/unit/verify/control_flow.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lento::tile {
namespace {

using riscv::Op;

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

// Returns the nodes from which the exit can be reached, each after at least one of its successors, in
// post-order of a depth-first search along reversed edges: the exit comes last.
std::vector<uint32_t> reversed_post_order(const std::vector<std::array<uint32_t, 2>>& to) {
  const auto exit = uint32_t(to.size());
  std::vector<std::vector<uint32_t>> from(to.size() + 1);
  for (uint32_t at = 0; at < to.size(); ++at) {
    from[to[at][0]].push_back(at);
    if (to[at][1] != to[at][0])
      from[to[at][1]].push_back(at);
  }
  std::vector<uint32_t> out;
  std::vector<bool> seen(from.size());
  std::vector<std::pair<uint32_t, size_t>> open = {{exit, 0}};
  seen[exit] = true;
  while (!open.empty()) {
    auto& [node, next] = open.back();
    if (next == from[node].size()) {
      out.push_back(node);
      open.pop_back();
    } else if (const uint32_t before = from[node][next++]; !seen[before]) {
      seen[before] = true;
      open.emplace_back(before, 0);
    }
  }
  return out;
}

}  // namespace

std::vector<uint32_t> post_dominators(const std::vector<TileOp>& code) {
  const auto exit = uint32_t(code.size());
  std::vector<std::array<uint32_t, 2>> to;
  for (uint32_t at = 0; at < exit; ++at)
    to.push_back(successors(code, at));
  const std::vector<uint32_t> order = reversed_post_order(to);
  std::vector<size_t> rank(code.size() + 1);
  for (size_t i = 0; i < order.size(); ++i)
    rank[order[i]] = i;
  std::vector<uint32_t> out(code.size() + 1, kExit);
  out[exit] = exit;
  const auto common = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      uint32_t& lower = rank[a] < rank[b] ? a : b;
      lower = out[lower];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size() - 1; i-- > 0;) {
      const uint32_t at = order[i];
      const auto [next, target] = to[at];
      const uint32_t now = out[next] == kExit ? target : out[target] == kExit ? next : common(next, target);
      changed |= now != out[at];
      out[at] = now;
    }
  }
  out.pop_back();
  std::ranges::replace(out, exit, kExit);
  return out;
}

}  // namespace lento::tile
