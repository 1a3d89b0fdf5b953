#include "tile/unit/explore.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>

#include "tile/unit/abstract_value.h"
#include "tile/unit/control_flow.h"
#include "tile/unit/histogram.h"
#include "tile/unit/memory.h"

namespace lento::tile {
namespace {

using riscv::Op;
using V = AbstractValue;

constexpr uint32_t kStackTop = kDataBase + kDataBytes;
constexpr uint64_t kLoopLimit = 1 << 20;
constexpr int kDepthLimit = 600;  // unknown branches open at once

struct State {
  std::array<V, 32> x;
  std::map<uint32_t, V> words;  // scratchpad words with a known value, by address
  struct Call {
    uint32_t back, entry;
  };
  std::vector<Call> calls;
  uint32_t pc = 0;
};

struct Cost {
  uint64_t worst = 0, best = 0, bytes = 0, streamed = 0;
  void add(const Cost& o) { worst += o.worst, best += o.best, bytes += o.bytes, streamed += o.streamed; }
  void add_cycles(uint64_t n) { worst += n, best += n; }
  static Cost either(const Cost& a, const Cost& b) {
    return {std::max(a.worst, b.worst), std::min(a.best, b.best), std::max(a.bytes, b.bytes),
            std::max(a.streamed, b.streamed)};
  }
};

// One region (init, main or finish) of one image.
class Explorer {
 public:
  Explorer(const Image& image, const std::vector<TileOp>& code, const std::vector<uint32_t>& meets)
      : image_(image), code_(code), meets_(meets) {}

  RegionReport explore(uint32_t entry, bool registers_are_set) {
    State start;
    for (V& v : start.x) v.initialised = registers_are_set;
    start.x[0] = V::constant(0);
    start.x[1] = V::constant(kReturnAddress);
    start.x[2] = V::constant(kStackTop);
    start.calls = {{kReturnAddress, entry}};
    start.pc = entry;
    lowest_stack_ = kStackTop;
    Cost cost;
    cost.add_cycles(2);  // fetch and decode of the first instruction
    const State end = run(start, {kExit, 1}, 0, cost);
    if (!(end.x[2] == V::constant(kStackTop)))
      reject(Rule::Stack, entry, "the stack pointer is not put back at the return");
    return {cost.worst, cost.best, cost.bytes, cost.streamed, kStackTop - lowest_stack_, steps_};
  }

 private:
  struct Stop {
    uint32_t index;  // kExit: the return of the call at `depth`
    size_t depth;
  };
  static bool reached(const State& s, const Stop& stop) {
    return s.calls.size() < stop.depth || (s.calls.size() == stop.depth && s.pc / 4 == stop.index);
  }

  const V& read(const State& s, unsigned reg, uint32_t pc) const {
    if (!s.x[reg].initialised) {
      reject(Rule::Uninitialised, pc,
             "register " + std::string(riscv::register_name(reg)) + " is used before it is set");
    }
    return s.x[reg];
  }

  static void write(State& s, unsigned reg, const V& value) {
    if (reg != 0) s.x[reg] = value;
  }

  const TileOp& fetch(uint32_t pc, uint32_t from) {
    if (++steps_ > kStepLimit) {
      reject(Rule::Unbounded, from, "no bound was found within " + std::to_string(kStepLimit) + " steps");
    }
    if (pc / 4 >= code_.size()) reject(Rule::ControlFlow, from, "execution leaves the code at " + hex(pc));
    const TileOp& op = code_[pc / 4];
    if (!op.legal())
      reject(Rule::IllegalInstruction, pc, "word " + hex(op.word) + " is no instruction of the tile");
    return op;
  }

  // Runs from `s` until `stop`; adds the cost.
  State run(State s, const Stop& stop, int depth, Cost& cost) {
    if (depth > kDepthLimit)
      reject(Rule::Unbounded, s.pc,
             "more than " + std::to_string(kDepthLimit) + " open branches: a loop without a known bound");
    uint32_t from = s.pc;
    while (!reached(s, stop)) {
      const uint32_t pc = s.pc;
      const TileOp& op = fetch(pc, from);
      from = pc;
      cost.add_cycles(1);
      if (riscv::is_branch(op.base.op))
        branch(s, op, depth, cost);
      else if (riscv::is_jump(op.base.op))
        jump(s, op, cost);
      else if (op.custom == Custom::Loop || op.custom == Custom::LoopImmediate)
        loop(s, op, cost);
      else
        straight(s, op, cost);
    }
    return s;
  }

  void branch(State& s, const TileOp& op, int depth, Cost& cost) {
    const uint32_t pc = s.pc, target = pc + static_cast<uint32_t>(op.base.imm);
    const Truth truth = abstract_branch(op.base.op, read(s, op.base.rs1, pc), read(s, op.base.rs2, pc));
    if (truth == Truth::Yes) return take(s, target, cost);
    s.pc = pc + 4;
    if (truth == Truth::No) return;
    State other = s;
    refine(op.base.op, false, s.x[op.base.rs1], s.x[op.base.rs2]);
    refine(op.base.op, true, other.x[op.base.rs1], other.x[op.base.rs2]);
    const bool falls = possible(s, op), jumps = possible(other, op);
    Cost fall_cost, jump_cost;
    if (jumps) take(other, target, jump_cost);
    if (!jumps) return;
    if (!falls) {
      s = other;
      return cost.add(jump_cost);
    }
    const Stop meet{meets_[pc / 4], s.calls.size()};
    const State a = run(s, meet, depth + 1, fall_cost), b = run(other, meet, depth + 1, jump_cost);
    cost.add(Cost::either(fall_cost, jump_cost));
    s = join_states(a, b, pc);
  }

  static bool possible(const State& s, const TileOp& op) {
    const V &a = s.x[op.base.rs1], &b = s.x[op.base.rs2];
    return a.low <= a.high && b.low <= b.high && !(a.ones & a.zeros) && !(b.ones & b.zeros);
  }

  static State join_states(const State& a, const State& b, uint32_t pc) {
    if (a.pc != b.pc || a.calls.size() != b.calls.size())
      reject(Rule::ControlFlow, pc, "the two ways of this branch return to different places");
    State out = a;
    for (size_t i = 0; i < 32; ++i) out.x[i] = join(a.x[i], b.x[i]);
    for (auto it = out.words.begin(); it != out.words.end();) {
      const auto other = b.words.find(it->first);
      if (other == b.words.end())
        it = out.words.erase(it);
      else
        it->second = join(it->second, other->second), ++it;
    }
    return out;
  }

  void take(State& s, uint32_t target, Cost& cost) {
    if (target != kReturnAddress) cost.add_cycles(2);
    if (target == kReturnAddress) {
      if (s.calls.size() != 1) reject(Rule::ControlFlow, s.pc, "the region ends inside a call");
      s.calls.pop_back();
    } else if ((target & 3) || target >= kCodeBytes) {
      reject(Rule::ControlFlow, s.pc, "jump to " + hex(target) + ", outside the code");
    }
    s.pc = target;
  }

  void jump(State& s, const TileOp& op, Cost& cost) {
    const uint32_t pc = s.pc;
    if (op.base.op == Op::Jal) {
      const uint32_t target = pc + static_cast<uint32_t>(op.base.imm);
      if (op.base.rd != 0) call(s, op.base.rd, target);
      return take(s, target, cost);
    }
    V target =
        abstract_alu(Op::Addi, read(s, op.base.rs1, pc), V::constant(static_cast<uint32_t>(op.base.imm)));
    if (!target.is_constant())
      reject(Rule::IndirectJump, pc, "jump through a register whose value is not known");
    if (!s.calls.empty() && target.low == s.calls.back().back && op.base.rd == 0) {
      if (target.low == kReturnAddress) return take(s, kReturnAddress, cost);
      s.calls.pop_back();
    } else if (op.base.rd != 0) {
      call(s, op.base.rd, target.low);
    } else {
      reject(Rule::IndirectJump, pc, "jump through a register that is no return");
    }
    take(s, target.low, cost);
  }

  void call(State& s, unsigned link, uint32_t target) {
    for (const State::Call& open : s.calls) {
      if (open.entry == target)
        reject(Rule::Recursion, s.pc, "the function at " + hex(target) + " calls itself");
    }
    write(s, link, V::constant(s.pc + 4));
    s.calls.push_back({s.pc + 4, target});
  }

  // The body of a hardware loop holds no control flow but one inner loop: executed once on registers that may
  // hold whatever an earlier round left in them; costs times the count.
  void loop(State& s, const TileOp& op, Cost& cost) {
    const uint32_t pc = s.pc, end = pc + 4 + 4u * op.length;
    uint64_t most = op.count, least = op.count;
    if (op.custom == Custom::Loop) {
      const V& count = read(s, op.base.rs1, pc);
      most = std::max(count.high, 1u), least = std::max(count.low, 1u);
      cost.worst += 2;  // waits for its register
    }
    if (most > kLoopLimit)
      reject(Rule::Unbounded, pc, "the loop count may be " + std::to_string(most) + ", more than 2^20");
    s.words.clear();
    for (uint32_t at = pc + 4; at < end && at / 4 < code_.size(); at += 4) {
      const TileOp& in = code_[at / 4];
      if (in.writes_rd() && s.x[in.base.rd].initialised) {
        V any;
        any.tainted = true;
        s.x[in.base.rd] = any;
      }
    }
    Cost body;
    s.pc = pc + 4;
    while (s.pc != end) {
      const TileOp& in = fetch(s.pc, pc);
      body.add_cycles(1);
      if (in.custom == Custom::Loop || in.custom == Custom::LoopImmediate)
        loop(s, in, body);
      else
        straight(s, in, body, pc + 4);
    }
    cost.worst += body.worst * most, cost.best += body.best * least;
    cost.bytes += body.bytes * most, cost.streamed += body.streamed * most;
  }

  bool uses(uint32_t index, unsigned reg) const {
    if (index >= code_.size()) return false;
    const TileOp& next = code_[index];
    return (next.reads_rs1() && next.base.rs1 == reg) || (next.reads_rs2() && next.base.rs2 == reg);
  }

  void straight(State& s, const TileOp& op, Cost& cost, uint32_t loop_start = kExit) {
    const uint32_t pc = s.pc;
    const riscv::Instruction& n = op.base;
    const V immediate = V::constant(static_cast<uint32_t>(n.imm));
    s.pc = pc + 4;
    if (op.custom != Custom::None) return custom(s, op, pc, cost);
    if (riscv::is_load(n.op)) {
      const V address = abstract_alu(Op::Addi, read(s, n.rs1, pc), immediate);
      write(s, n.rd, load(s, n.op, address, pc));
      if (n.rd != 0 && (uses(pc / 4 + 1, n.rd) || (loop_start != kExit && uses(loop_start / 4, n.rd))))
        cost.worst += 1;
    } else if (riscv::is_store(n.op)) {
      store(s, n, abstract_alu(Op::Addi, read(s, n.rs1, pc), immediate), pc, cost);
    } else if (n.op == Op::Lui) {
      write(s, n.rd, immediate);
    } else if (n.op == Op::Auipc) {
      write(s, n.rd, V::constant(pc + static_cast<uint32_t>(n.imm)));
    } else if (n.op != Op::Fence) {
      const V a = read(s, n.rs1, pc), b = riscv::reads_rs2(n.op) ? read(s, n.rs2, pc) : immediate;
      write(s, n.rd, abstract_alu(n.op, a, b));
      if (n.rd == 2) note_stack(s.x[2], pc);
    }
  }

  void note_stack(const V& sp, uint32_t pc) {
    if (sp.low < kDataBase + image_.data.size() || sp.high > kStackTop) {
      reject(Rule::Stack, pc,
             "the stack pointer may leave the free scratchpad: " + hex(sp.low) + ".." + hex(sp.high));
    }
    lowest_stack_ = std::min(lowest_stack_, sp.low);
  }

  void custom(State& s, const TileOp& op, uint32_t pc, Cost& cost) {
    V a, b;
    if (op.reads_rs1()) a = read(s, op.base.rs1, pc);
    if (op.reads_rs2()) b = read(s, op.base.rs2, pc);
    V out;
    out.tainted = true;
    if (op.writes_rd()) write(s, op.base.rd, out);
    if (op.custom == Custom::HistIn) cost.streamed += 1;
    if (op.custom == Custom::Emit) {
      const uint32_t bytes = HistogramUnit::emit_bytes(op.count);
      cost.bytes += bytes;
      cost.add_cycles((bytes + 3) / 4 - 1);
    }
  }

  static bool inside(const V& address, unsigned size, uint32_t base, uint32_t bytes) {
    return address.low >= base && uint64_t{address.high} + size <= uint64_t{base} + bytes;
  }

  static bool aligned(const V& address, unsigned size) { return ((address.zeros & (size - 1)) == size - 1); }

  static std::string extent(const V& address) {
    return address.is_constant() ? hex(address.low) : hex(address.low) + ".." + hex(address.high);
  }

  V load(const State& s, Op op, const V& address, uint32_t pc) const {
    const unsigned size = riscv::access_size(op);
    if (!aligned(address, size))
      reject(Rule::LoadBounds, pc, "load from " + extent(address) + " may be misaligned");
    V out;
    out.tainted = true;
    if (inside(address, size, kDataBase, kDataBytes)) {
      const auto known = s.words.find(address.low);
      if (size == 4 && address.is_constant() && known != s.words.end()) return known->second;
    } else if (inside(address, size, kSoftBase, 4 * kSoftRegs) ||
               inside(address, size, kIoBase, 4 * kIoRegs + 4)) {
    } else if (inside(address, size, kControlBase, 0x30)) {
      out.tainted = false;
    } else {
      reject(Rule::LoadBounds, pc, "load from " + extent(address) + " may leave the map");
    }
    if (op == Op::Lbu) out.high = 255, out.zeros = ~255u;
    if (op == Op::Lhu) out.high = 65535, out.zeros = ~65535u;
    return out;
  }

  void store(State& s, const riscv::Instruction& n, const V& address, uint32_t pc, Cost& cost) {
    const unsigned size = riscv::access_size(n.op);
    if (!aligned(address, size))
      reject(Rule::StoreBounds, pc, "store to " + extent(address) + " may be misaligned");
    const V& value = s.x[n.rs2];
    const bool stack = n.rs1 == 2;  // saving a register that was never set is no use of it
    if (!stack) read(s, n.rs2, pc);
    if (inside(address, size, kDataBase, kDataBytes)) {
      s.words.erase(s.words.lower_bound(address.low & ~3u), s.words.upper_bound(address.high));
      if (size == 4 && address.is_constant()) s.words[address.low] = value;
    } else if (inside(address, size, kFifoBase, 0x1000)) {
      cost.bytes += size;
    } else if (size == 4 && inside(address, size, kSoftBase, 4 * kSoftRegs)) {
      if (value.tainted && image_.soft_logic.empty())
        reject(Rule::Taint, pc,
               "a value from the block reaches soft-logic registers, but the image has no soft logic");
    } else {
      reject(Rule::StoreBounds, pc, "store to " + extent(address) + " may leave what is writable");
    }
  }

  const Image& image_;
  const std::vector<TileOp>& code_;
  const std::vector<uint32_t>& meets_;
  uint64_t steps_ = 0;
  uint32_t lowest_stack_ = kStackTop;
};

}  // namespace

std::string hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

[[noreturn]] void reject(Rule rule, uint32_t pc, const std::string& text) { throw Violation{rule, pc, text}; }

RegionReport explore(const Image& image, const std::vector<TileOp>& code, const std::vector<uint32_t>& meets,
                     uint32_t entry, bool registers_are_set) {
  return Explorer(image, code, meets).explore(entry, registers_are_set);
}

}  // namespace lento::tile
