// Computes a weak topological order by the recursive algorithm of Bourdoncle ("Efficient chaotic iteration
// strategies with widenings", 1993, figure 4): strongly connected components by depth-first search, and in
// each of them again without its head. A loop of a compiler that is entered at one place has that place as
// its head. Cost: instructions times nesting depth of loops.
#include "tile/unit/verify/control_flow.h"

#include <algorithm>
#include <utility>

namespace lento::tile {
namespace {

using riscv::Op;

// Returns the indices of the instructions that may be executed after the one at index `at`.
std::vector<uint32_t> successors(const std::vector<TileOp>& code, uint32_t at) {
  const riscv::Instruction& n = code[at].base;
  std::vector<uint32_t> out;
  const auto add = [&](int64_t index) {
    if (index >= 0 && index < int64_t(code.size()))
      out.push_back(uint32_t(index));
  };
  const bool goes = n.op == Op::Jal && n.rd == 0;
  if (!code[at].legal() || (n.op == Op::Jalr && n.rd == 0))
    return out;
  if (goes || riscv::is_branch(n.op))
    add(int64_t{at} + n.imm / 4);
  if (!goes)
    add(int64_t{at} + 1);
  return out;
}

class Search {
 public:
  explicit Search(const std::vector<TileOp>& code)
      : left_(uint32_t(code.size())),
        number_(code.size()) {
    for (uint32_t at = 0; at < code.size(); ++at)
      to_.push_back(successors(code, at));
    out_.rank.resize(code.size());
    out_.loops.resize(code.size());
    out_.meets.resize(code.size());
  }

  void visit_from(uint32_t at) {
    if (at < number_.size() && number_[at] == 0)
      visit(at);
  }

  VisitOrder take() {
    std::vector<int> sources(to_.size());
    for (uint32_t at = 0; at < to_.size(); ++at) {
      const std::vector<uint32_t>& loops = out_.loops[at];
      for (const uint32_t next : to_[at]) {
        const bool leaves = std::ranges::mismatch(loops, out_.loops[next]).in1 != loops.end();
        out_.meets[next] = out_.meets[next] || ++sources[next] > 1 || leaves;
      }
    }
    return std::move(out_);
  }

 private:
  static constexpr uint32_t kPlaced = UINT32_MAX;

  // Visits `at` and what it leads to. Returns the smallest number of an instruction in the same component
  // that was visited before, or that of `at`. Instructions are placed from the end of the order.
  uint32_t visit(uint32_t at) {
    open_.push_back(at);
    const uint32_t own = number_[at] = ++numbers_;
    uint32_t head = own;
    bool loops = false;
    for (const uint32_t next : to_[at]) {
      const uint32_t first = number_[next] == 0 ? visit(next) : number_[next];
      if (first <= head) {
        head = first;
        loops = true;
      }
    }
    if (head != own)
      return head;
    number_[at] = kPlaced;
    uint32_t last = open_.back();
    open_.pop_back();
    for (; last != at; open_.pop_back()) {
      number_[last] = 0;
      last = open_.back();
    }
    if (loops) {
      heads_.push_back(at);
      out_.meets[at] = true;
      for (const uint32_t next : to_[at])
        visit_from(next);
    }
    out_.rank[at] = --left_;
    out_.loops[at] = heads_;
    if (loops)
      heads_.pop_back();
    return head;
  }

  std::vector<std::vector<uint32_t>> to_;
  uint32_t left_;                 // places of the order that are free: 0 to left_ - 1
  uint32_t numbers_ = 0;          // instructions visited so far
  std::vector<uint32_t> number_;  // in the order of visits; 0: not visited in the present component
  std::vector<uint32_t> open_;    // visited and not placed
  std::vector<uint32_t> heads_;   // of the loops around the present component
  VisitOrder out_;
};

}  // namespace

VisitOrder visit_order(const std::vector<TileOp>& code, const std::vector<uint32_t>& entries) {
  Search search(code);
  for (const uint32_t at : entries)
    search.visit_from(at);
  for (uint32_t at = 0; at < code.size(); ++at) {
    const riscv::Instruction& n = code[at].base;
    if (n.op == Op::Jal && n.rd != 0)
      search.visit_from(at + uint32_t(n.imm) / 4);
  }
  for (uint32_t at = 0; at < code.size(); ++at)
    search.visit_from(at);
  return search.take();
}

}  // namespace lento::tile
