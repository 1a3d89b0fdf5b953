// Runs one hart by threaded dispatch over predecoded pages. A Port connects it to memory and time.
//
// The interpreter is a template, so that a functional machine and a timed multiprocessor each get a loop with
// their own inlined hooks. Instructions are counted in stretches, not one by one. A Port has:
//
//   uint32_t enter(uint32_t pc)     returns how many instructions may run from pc on before the next call, at
//                                   most to the end of its 4 KiB page, or 0 to stop with nothing changed
//   void elapse(uint64_t n, uint32_t pc)   n more instructions are completed (or trapped), pc comes next
//   void extra(Op op)               a multiplication or division was executed
//   bool load_now(uint32_t address, unsigned size, uint32_t& value, uint64_t ahead)
//                                   a fast load() that returns false when it is not possible, with `ahead`
//                                   instructions completed since the last elapse()
//   Access load(uint32_t address, unsigned size, uint32_t& value)   zero-extended
//   Access store(uint32_t address, unsigned size, uint32_t value)
//   Access atomic(Op op, uint32_t address, uint32_t operand, uint32_t& result)   lr, sc, amo, aligned
//   Access fence(Op op)             fence, fence.i
//   bool environment_call(Hart&)    ecall: true when handled, false to trap
//   const uint8_t* code_page(uint32_t address)   the 4 KiB of memory around address, nullptr: fetch fault
//   uint64_t cycle() const          the value of the cycle and time CSRs
//
// The interpreter calls elapse() before all calls but load_now and extra, so load() finds hart.pc and
// hart.instret up to date. After Access::Stop the same instruction is executed again by the next run(),
// beginning with enter().
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
  Port,     // the port requested it
  Wait,     // wfi was executed
  Recheck,  // mstatus or mie changed: look for interrupts, then go on
};

// Executes csrrw .. csrrci. Returns false for an illegal access. `recheck` is set when interrupts may have
// become possible.
bool execute_csr(Hart& hart, const Instruction& instruction, uint64_t cycle, bool& recheck);

// Runs until a reason to stop, for at most `budget` instructions including trapped ones. hart.instret counts
// the completed ones. The caller takes interrupts (Hart::pending_interrupt) between calls.
template <class Port>
Stop run(Hart& hart, CodeCache& code, Port& port, uint64_t budget) {
  static const void* const kHandlers[kOps] = {
      &&Undecoded,
      &&Illegal,
#define LENTO_LABEL(name, ...) &&name,
      LENTO_RISCV_ALL(LENTO_LABEL)
#undef LENTO_LABEL
  };
  uint32_t* const x = hart.x;
  uint32_t pc = hart.pc;  // of `from`; that of `at` is PC()
  uint64_t left = budget;
  uint64_t trapped = 0;
  CodeCache::Page* page = nullptr;
  const Instruction* at = nullptr;
  const Instruction* from = nullptr;  // all before it have elapsed
  const Instruction* end = nullptr;   // port.enter() is called before this one is executed
  uint32_t address = 0;
  uint32_t value = 0;
  uint32_t cause = 0;
  uint32_t page_number = ~0u;
  Access access = Access::Done;
  Stop stop = Stop::Budget;
  bool recheck = false;

#define PC() (pc + 4 * uint32_t(at - from))
#define DISPATCH() goto* kHandlers[int(at->op)]
#define NEXT()                  \
  if (++at == end) [[unlikely]] \
    goto boundary;              \
  DISPATCH();
#define ELAPSE()                               \
  {                                            \
    const uint64_t done = uint64_t(at - from); \
    pc = PC(), left -= done, from = at;        \
    port.elapse(done, pc);                     \
  }
#define COST(name)                                  \
  if (is_multiply(Op::name) || is_divide(Op::name)) \
    port.extra(Op::name);
#define JUMP(target)                               \
  {                                                \
    const uint64_t done = uint64_t(at - from) + 1; \
    pc = (target), left -= done;                   \
    port.elapse(done, pc);                         \
    if (left == 0) [[unlikely]]                    \
      goto leave;                                  \
    goto enter;                                    \
  }

  if (left == 0)
    goto leave;
enter:
  if (pc / kPageBytes != page_number) [[unlikely]] {
    page = code.find(pc);
    if (!page) [[unlikely]] {
      const uint8_t* bytes = port.code_page(pc);
      if (!bytes) {
        cause = kInstructionFault;
        value = pc;
        goto trap;
      }
      page = code.add(pc, bytes);
    }
    page_number = pc / kPageBytes;
  }
  {
    const uint32_t run = port.enter(pc);
    if (run == 0) [[unlikely]]
      goto stopped;
    from = at = page->ops + (pc >> 2) % CodeCache::kWords;
    end = at + (run < left ? run : left);
  }
  DISPATCH();
boundary:
  ELAPSE();
  if (left == 0)
    goto leave;
  goto enter;

Undecoded:
  code.decode_at(*page, uint32_t(at - page->ops));
  DISPATCH();

#define REGISTER(name, ...)                          \
  name:                                              \
  x[at->rd] = alu(Op::name, x[at->rs1], x[at->rs2]); \
  COST(name)                                         \
  NEXT()
  LENTO_RISCV_REGISTER(REGISTER)
#define IMMEDIATE(name, ...)                                \
  name:                                                     \
  x[at->rd] = alu(Op::name, x[at->rs1], uint32_t(at->imm)); \
  NEXT()
  LENTO_RISCV_IMMEDIATE(IMMEDIATE)
#define LOAD(name, ...)                                                                        \
  name:                                                                                        \
  address = x[at->rs1] + uint32_t(at->imm);                                                    \
  if (!port.load_now(address, access_size(Op::name), value, uint64_t(at - from))) [[unlikely]] \
    goto load;                                                                                 \
  x[at->rd] = extend(Op::name, value);                                                         \
  NEXT()
  LENTO_RISCV_LOAD(LOAD)
#define STORE(name, ...)                                           \
  name:                                                            \
  address = x[at->rs1] + uint32_t(at->imm);                        \
  ELAPSE();                                                        \
  access = port.store(address, access_size(Op::name), x[at->rs2]); \
  if (access != Access::Done) [[unlikely]]                         \
    goto store_special;                                            \
  NEXT()
  LENTO_RISCV_STORE(STORE)
#define BRANCH(name, ...)                               \
  name:                                                 \
  if (branch_taken(Op::name, x[at->rs1], x[at->rs2])) { \
    address = PC() + uint32_t(at->imm);                 \
    if (address & 3) [[unlikely]]                       \
      goto misaligned_target;                           \
    JUMP(address)                                       \
  }                                                     \
  NEXT()
  LENTO_RISCV_BRANCH(BRANCH)
#define ATOMIC(name, ...) \
  name:                   \
  goto atomic;
  LENTO_RISCV_ATOMIC(ATOMIC)
#define CSR(name, ...) \
  name:                \
  goto csr;
  LENTO_RISCV_CSR(CSR)

Lui:
  x[at->rd] = uint32_t(at->imm);
  NEXT()
Auipc:
  x[at->rd] = PC() + uint32_t(at->imm);
  NEXT()
Jal:
  address = PC() + uint32_t(at->imm);
  if (address & 3) [[unlikely]]
    goto misaligned_target;
  x[at->rd] = PC() + 4;
  JUMP(address)
Jalr:
  address = (x[at->rs1] + uint32_t(at->imm)) & ~1u;
  if (address & 3) [[unlikely]]
    goto misaligned_target;
  x[at->rd] = PC() + 4;
  JUMP(address)
Illegal:
  ELAPSE();
  goto illegal;
Fence:
FenceI:
  ELAPSE();
  access = port.fence(at->op);
  if (access == Access::Stop)
    goto stopped;
  ++at;  // a cleared instruction cache ends the stretch
  goto boundary;
Ecall:
  ELAPSE();
  hart.pc = pc;
  if (port.environment_call(hart)) {
    NEXT()
  }
  cause = kMachineEcall;
  value = 0;
  goto trap;
Ebreak:
  ELAPSE();
  cause = kBreakpoint;
  value = pc;
  goto trap;
Mret:
  ELAPSE();
  hart.mret();
  --left;
  pc = hart.pc;
  stop = Stop::Recheck;
  port.elapse(1, pc);
  goto leave;
Wfi:
  stop = Stop::Wait;
  goto completed;

atomic:
  ELAPSE();
  address = x[at->rs1];
  if (address & 3) [[unlikely]] {
    cause = at->op == Op::LrW ? kLoadMisaligned : kStoreMisaligned;
    value = address;
    goto trap;
  }
  access = port.atomic(at->op, address, x[at->rs2], value);
  if (access == Access::Stop)
    goto stopped;
  if (access == Access::Fault) {
    cause = at->op == Op::LrW ? kLoadFault : kStoreFault;
    value = address;
    goto trap;
  }
  x[at->rd] = value;
  if (access == Access::DoneStop)
    goto completed_by_port;
  NEXT()
csr:
  ELAPSE();
  hart.instret += budget - left - trapped;
  budget = left;
  trapped = 0;
  if (!execute_csr(hart, *at, port.cycle(), recheck))
    goto illegal;
  if (recheck) {
    stop = Stop::Recheck;
    goto completed;
  }
  NEXT()

load:
  ELAPSE();
  hart.pc = pc;
  hart.instret += budget - left - trapped;
  budget = left;
  trapped = 0;
  access = port.load(address, access_size(at->op), value);
  if (access == Access::Stop)
    goto stopped;
  if (access == Access::Fault) {
    cause = kLoadFault;
    value = address;
    goto trap;
  }
  x[at->rd] = extend(at->op, value);
  if (access == Access::DoneStop)
    goto completed_by_port;
  NEXT()
store_special:
  if (access == Access::Stop)
    goto stopped;
  if (access == Access::Fault) {
    cause = kStoreFault;
    value = address;
    goto trap;
  }
completed_by_port:
  stop = Stop::Port;
completed:
  ++at;
  ELAPSE();
  goto leave;

illegal:
  cause = kIllegalInstruction;
  value = CodeCache::word_at(*page, uint32_t(at - page->ops));
  goto trap;
misaligned_target:
  ELAPSE();
  cause = kInstructionMisaligned;
  value = address;
trap:
  hart.pc = pc;
  hart.trap(cause, value);
  pc = hart.pc;
  ++trapped;
  port.elapse(1, pc);
  if (--left == 0)
    goto leave;
  goto enter;
stopped:
  stop = Stop::Port;
leave:
  hart.pc = pc;
  hart.instret += budget - left - trapped;
  return stop;

#undef PC
#undef DISPATCH
#undef NEXT
#undef ELAPSE
#undef COST
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
