// Runs one hart: threaded dispatch over predecoded pages, with every contact to the outside through a Port.
//
// The interpreter is a template so that a functional machine, a timed multiprocessor and a tile each get
// their own loop with their hooks inlined. A Port has:
//
//   bool fetch(uint32_t pc);                    // before each instruction; false: stop, the state is
//   unchanged Access load(uint32_t address, unsigned size, uint32_t& value);            // zero-extended
//   Access store(uint32_t address, unsigned size, uint32_t value);
//   Access atomic(Op op, uint32_t address, uint32_t operand, uint32_t& result);  // lr, sc, amo; aligned
//   address Access fence(Op op);                        // fence, fence.i void retire(Op op); // after each
//   completed instruction bool environment_call(Hart&);               // ecall: true when handled, false to
//   trap const uint8_t* code_page(uint32_t address); // the 4 KiB of memory around address, nullptr: fetch
//   fault uint64_t cycle() const;                     // what the cycle and time CSRs show
//
// A Port that answers Access::Stop sees the same instruction again at the next run(), starting with fetch().
#pragma once

#include "riscv/alu.h"
#include "riscv/code_cache.h"
#include "riscv/hart.h"

namespace lento::riscv {

enum class Access : uint8_t {
  Done,
  Stop,      // not done: return to the caller, retry later
  DoneStop,  // done: return to the caller after this instruction
  Fault,     // access fault: trap
};

enum class Stop : uint8_t {
  Budget,   // the instruction budget is used up
  Port,     // the port asked for it
  Wait,     // wfi was executed
  Recheck,  // mstatus or mie changed: look for interrupts, then go on
};

// Executes csrrw .. csrrci; false: illegal. `recheck` is set when interrupts may have become possible.
bool execute_csr(Hart& hart, const Instruction& instruction, uint64_t cycle, bool& recheck);

// Runs until a reason to stop; at most `budget` instructions (trapped ones count). hart.instret counts those
// completed. The caller takes interrupts (Hart::pending_interrupt) between calls.
template <class Port>
Stop run(Hart& hart, CodeCache& code, Port& port, uint64_t budget) {
  static const void* const kHandlers[kOps] = {&&Undecoded, &&PageEnd, &&Illegal,
#define LENTO_LABEL(name, ...) &&name,
                                              LENTO_RISCV_ALL(LENTO_LABEL)
#undef LENTO_LABEL
  };
  uint32_t* const x = hart.x;
  uint32_t pc = hart.pc;
  uint64_t left = budget, trapped = 0;
  CodeCache::Page* page = nullptr;
  const Instruction* at = nullptr;
  uint32_t address = 0, value = 0, cause = 0;
  Access access = Access::Done;
  Stop stop = Stop::Budget;
  bool recheck = false;

#define DISPATCH() goto* kHandlers[static_cast<int>(at->op)]
#define BEGIN(name)                 \
  name:                             \
  if (!port.fetch(pc)) [[unlikely]] \
    goto stopped;
#define END(name)               \
  port.retire(Op::name);        \
  pc += 4;                      \
  ++at;                         \
  if (--left == 0) [[unlikely]] \
    goto leave;                 \
  DISPATCH();
#define JUMP(name, target)      \
  port.retire(Op::name);        \
  pc = (target);                \
  if (--left == 0) [[unlikely]] \
    goto leave;                 \
  goto enter;

  if (left == 0) goto leave;
enter:
  page = code.find(pc);
  if (!page) [[unlikely]] {
    const uint8_t* bytes = port.code_page(pc);
    if (!bytes) {
      cause = kInstructionFault, value = pc;
      goto trap;
    }
    page = code.add(pc, bytes);
  }
  at = page->ops + (pc >> 2) % CodeCache::kWords;
  DISPATCH();

Undecoded:
  code.decode_at(*page, (pc >> 2) % CodeCache::kWords);
  DISPATCH();
PageEnd:
  goto enter;
  BEGIN(Illegal)
  cause = kIllegalInstruction, value = CodeCache::word_at(*page, (pc >> 2) % CodeCache::kWords);
  goto trap;

#define REGISTER(name, ...)                                      \
  BEGIN(name) x[at->rd] = alu(Op::name, x[at->rs1], x[at->rs2]); \
  END(name)
  LENTO_RISCV_REGISTER(REGISTER)
#define IMMEDIATE(name, ...)                                                         \
  BEGIN(name) x[at->rd] = alu(Op::name, x[at->rs1], static_cast<uint32_t>(at->imm)); \
  END(name)
  LENTO_RISCV_IMMEDIATE(IMMEDIATE)
#define LOAD(name, ...)                                              \
  BEGIN(name) address = x[at->rs1] + static_cast<uint32_t>(at->imm); \
  access = port.load(address, access_size(Op::name), value);         \
  if (access != Access::Done) [[unlikely]]                           \
    goto load_special;                                               \
  x[at->rd] = extend(Op::name, value);                               \
  END(name)
  LENTO_RISCV_LOAD(LOAD)
#define STORE(name, ...)                                             \
  BEGIN(name) address = x[at->rs1] + static_cast<uint32_t>(at->imm); \
  access = port.store(address, access_size(Op::name), x[at->rs2]);   \
  if (access != Access::Done) [[unlikely]]                           \
    goto store_special;                                              \
  END(name)
  LENTO_RISCV_STORE(STORE)
#define BRANCH(name, ...)                                           \
  BEGIN(name) if (branch_taken(Op::name, x[at->rs1], x[at->rs2])) { \
    address = pc + static_cast<uint32_t>(at->imm);                  \
    if (address & 3) [[unlikely]]                                   \
      goto misaligned_target;                                       \
    JUMP(name, address)                                             \
  }                                                                 \
  END(name)
  LENTO_RISCV_BRANCH(BRANCH)
#define ATOMIC(name, ...) BEGIN(name) goto atomic;
  LENTO_RISCV_ATOMIC(ATOMIC)
#define CSR(name, ...) BEGIN(name) goto csr;
  LENTO_RISCV_CSR(CSR)

  BEGIN(Lui) x[at->rd] = static_cast<uint32_t>(at->imm);
  END(Lui)
  BEGIN(Auipc) x[at->rd] = pc + static_cast<uint32_t>(at->imm);
  END(Auipc)
  BEGIN(Jal) address = pc + static_cast<uint32_t>(at->imm);
  if (address & 3) [[unlikely]]
    goto misaligned_target;
  x[at->rd] = pc + 4;
  JUMP(Jal, address)
  BEGIN(Jalr) address = (x[at->rs1] + static_cast<uint32_t>(at->imm)) & ~1u;
  if (address & 3) [[unlikely]]
    goto misaligned_target;
  x[at->rd] = pc + 4;
  JUMP(Jalr, address)
  BEGIN(Fence) goto fence;
  BEGIN(FenceI) goto fence;
  BEGIN(Ecall) hart.pc = pc;
  if (port.environment_call(hart)) {
    END(Ecall)
  }
  cause = kMachineEcall, value = 0;
  goto trap;
  BEGIN(Ebreak) cause = kBreakpoint, value = pc;
  goto trap;
  BEGIN(Mret) hart.mret();
  pc = hart.pc, stop = Stop::Recheck;
  goto completed;
  BEGIN(Wfi) pc += 4, stop = Stop::Wait;
  goto completed;

atomic:
  address = x[at->rs1];
  if (address & 3) [[unlikely]] {
    cause = at->op == Op::LrW ? kLoadMisaligned : kStoreMisaligned, value = address;
    goto trap;
  }
  access = port.atomic(at->op, address, x[at->rs2], value);
  if (access == Access::Stop) goto stopped;
  if (access == Access::Fault) {
    cause = at->op == Op::LrW ? kLoadFault : kStoreFault, value = address;
    goto trap;
  }
  x[at->rd] = value;
  if (access == Access::DoneStop) goto completed_by_port;
  goto next;
csr:
  hart.instret += budget - left - trapped, budget = left, trapped = 0;
  if (!execute_csr(hart, *at, port.cycle(), recheck)) {
    cause = kIllegalInstruction, value = CodeCache::word_at(*page, (pc >> 2) % CodeCache::kWords);
    goto trap;
  }
  if (recheck) {
    pc += 4, stop = Stop::Recheck;
    goto completed;
  }
  goto next;
fence:
  access = port.fence(at->op);
  if (access == Access::Stop) goto stopped;
next:
  port.retire(at->op);
  pc += 4;
  ++at;
  if (--left == 0) goto leave;
  DISPATCH();

load_special:
  if (access == Access::Stop) goto stopped;
  if (access == Access::Fault) {
    cause = kLoadFault, value = address;
    goto trap;
  }
  x[at->rd] = extend(at->op, value);
  goto completed_by_port;
store_special:
  if (access == Access::Stop) goto stopped;
  if (access == Access::Fault) {
    cause = kStoreFault, value = address;
    goto trap;
  }
completed_by_port:
  pc += 4, stop = Stop::Port;
completed:
  port.retire(at->op);
  --left;
  goto leave;

misaligned_target:
  cause = kInstructionMisaligned, value = address;
trap:
  hart.pc = pc;
  hart.trap(cause, value);
  pc = hart.pc;
  ++trapped;
  port.retire(Op::Illegal);
  if (--left == 0) goto leave;
  goto enter;
stopped:
  stop = Stop::Port;
leave:
  hart.pc = pc;
  hart.instret += budget - left - trapped;
  return stop;

#undef DISPATCH
#undef BEGIN
#undef END
#undef JUMP
#undef REGISTER
#undef IMMEDIATE
#undef LOAD
#undef STORE
#undef BRANCH
#undef ATOMIC
#undef CSR
}

}  // namespace lento::riscv
