// Checks the instruction words alone: hardware loops nest at most two deep and hold no branch or jump, and
// the region `finish` returns or jumps within its 16 instructions.
#include "tile/unit/verify/code_rules.h"

#include "base/units.h"

namespace lento::tile {
using riscv::Op;

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
  std::vector<unsigned> depth(code.size());
  for (uint32_t at = 0; at < code.size(); ++at) {
    const uint32_t last = at + code[at].length;
    if (last >= code.size())
      reject(Rule::LoopBody, 4 * at, "the loop's body leaves the code");
    for (uint32_t in = at + 1; in <= last; ++in) {
      const TileOp& op = code[in];
      if (riscv::is_branch(op.base.op) || riscv::is_jump(op.base.op))
        reject(Rule::LoopBody, 4 * in, "control flow inside a hardware loop");
      if (op.length > 0 && in + op.length >= last)
        reject(Rule::LoopBody, 4 * in, "an inner loop must end before the outer one");
      if (++depth[in] > kLoopDepth)
        reject(Rule::LoopBody, 4 * in, "hardware loops nest two deep only");
    }
  }
  for (const unsigned loops : depth)
    program.in_body.push_back(loops > 0);
  for (uint32_t at = 0; at < code.size(); ++at) {
    const riscv::Instruction& n = code[at].base;
    const int64_t target = int64_t{at} + n.imm / 4;
    if ((riscv::is_branch(n.op) || n.op == Op::Jal) && target >= 0 && target < int64_t(code.size()) &&
        program.in_body[size_t(target)])
      reject(Rule::LoopBody, 4 * at, "jump into the body of a hardware loop");
  }
}

void check_finish(const Image& image, const std::vector<TileOp>& code) {
  if (image.code.size() <= kFinishEntry)
    reject(
        Rule::FinishSize,
        kFinishEntry,
        "there is no finish: the code ends at " + base::hex(4 * uint32_t(code.size())));
  // The region is the last 16 words of the code memory. It must return or jump before their end.
  for (uint32_t at = kFinishEntry / 4; at < code.size(); ++at) {
    if (riscv::is_jump(code[at].base.op))
      return;
  }
  reject(Rule::FinishSize, kFinishEntry, "finish neither returns nor jumps within its 16 instructions");
}

}  // namespace lento::tile
