// Checks the instruction words alone: hardware loops nest properly and hold no control flow, and the region
// `finish` returns or jumps within its 16 instructions.
#include "tile/unit/verify/code_rules.h"

#include "base/units.h"

namespace lento::tile {
namespace {

using riscv::Op;

struct Body {
  // Instruction indices of the first and the last instruction.
  uint32_t first = 0;
  uint32_t last = 0;
};

// Returns the bodies of all hardware loops, as indices of instructions.
std::vector<Body> loop_bodies(const std::vector<TileOp>& code) {
  std::vector<Body> bodies;
  for (uint32_t at = 0; at < code.size(); ++at) {
    if (code[at].custom == Custom::Loop || code[at].custom == Custom::LoopImmediate)
      bodies.push_back({at + 1, at + code[at].length});
  }
  return bodies;
}

}  // namespace

std::vector<uint32_t> constants_of(const std::vector<TileOp>& code) {
  std::set<uint32_t> out = {UINT8_MAX, UINT16_MAX, INT32_MAX};
  for (size_t at = 0; at < code.size(); ++at) {
    const riscv::Instruction& n = code[at].base;
    const bool compares = n.op == Op::Slti || n.op == Op::Sltiu;
    if (code[at].custom != Custom::None ||
        (n.op != Op::Addi && n.op != Op::Andi && n.op != Op::Lui && !compares))
      continue;
    const riscv::Instruction* upper =
        at > 0 && code[at - 1].base.op == Op::Lui ? &code[at - 1].base : nullptr;
    const bool adds = n.op == Op::Addi && upper && upper->rd == n.rs1;
    const auto constant = uint32_t(n.imm) + (adds ? uint32_t(upper->imm) : 0);
    for (const uint32_t end : {constant, 0u - constant})
      out.insert({end - 1, end, end + 1});
  }
  return {out.begin(), out.end()};
}

void check_loops(Program& program) {
  const std::vector<TileOp>& code = program.code;
  program.in_body.assign(code.size(), false);
  const std::vector<Body> bodies = loop_bodies(code);
  for (const Body& body : bodies) {
    int inner = 0;
    for (uint32_t at = body.first; at <= body.last; ++at) {
      if (at >= code.size())
        reject(Rule::LoopBody, 4 * (body.first - 1), "the loop's body leaves the code");
      program.in_body[at] = true;
      const TileOp& op = code[at];
      if (riscv::is_branch(op.base.op) || riscv::is_jump(op.base.op))
        reject(Rule::LoopBody, 4 * at, "control flow inside a hardware loop");
      if (op.length == 0)
        continue;
      if (at + op.length >= body.last)
        reject(Rule::LoopBody, 4 * at, "an inner loop must end before the outer one");
      for (const Body& outer : bodies)
        inner += outer.first <= body.first - 1 && body.last <= outer.last;
      if (inner > 0)
        reject(Rule::LoopBody, 4 * at, "hardware loops nest two deep only");
    }
  }
  for (uint32_t at = 0; at < code.size(); ++at) {
    const riscv::Instruction& n = code[at].base;
    if (!riscv::is_branch(n.op) && n.op != Op::Jal)
      continue;
    const int64_t target = int64_t{at} + n.imm / 4;
    if (target >= 0 && target < int64_t(code.size()) && program.in_body[size_t(target)])
      reject(Rule::LoopBody, 4 * at, "jump into the body of a hardware loop");
  }
}

void check_finish(const Image& image, const std::vector<TileOp>& code) {
  if (image.code.size() <= kFinishEntry)
    reject(
        Rule::FinishSize,
        kFinishEntry,
        "there is no finish: the code ends at " + base::hex(4 * uint32_t(code.size())));
  // The region is 16 words up to the end of the code. It must return or jump before that.
  for (uint32_t at = kFinishEntry / 4; at < code.size(); ++at) {
    if (riscv::is_jump(code[at].base.op))
      return;
  }
  reject(Rule::FinishSize, kFinishEntry, "finish neither returns nor jumps within its 16 instructions");
}

}  // namespace lento::tile
