// The machine's fast loop: straight runs of instructions without any account of single ones.
//
// Idea: pc is implied by the place in the predecoded page, instructions are counted at taken jumps (last -
// first + 1), loads and stores go through a small table of page pointers whose tag check includes alignment.
// Whatever is rare (CSRs, atomics, traps, the store to `tohost`, the last instructions of a budget) leaves
// the loop with exact state; riscv::run takes over for one instruction.
//
// Invariants:
//   1. At `enter`, and at every jump, more than a page of instructions is left, so that no check is needed
//      until the next jump: a straight run ends with its page.
//   2. A page pointer for stores knows the page's predecoded words; a store makes the word undecoded again.
#include <cstring>

#include "riscv/machine.h"

namespace lento::riscv {

// nullptr when the address needs the careful way.
uint8_t* Machine::fast_page(uint32_t address, unsigned size, bool store) {
  const uint32_t tag = address & ~(kPageBytes - 1);
  if (address & (size - 1)) return nullptr;
  uint8_t* const bytes = memory_.page(address);
  if (!bytes) return nullptr;
  CodeCache::Page* const page = store ? code_.find(address) : nullptr;
  (store ? stores_ : loads_)[(address >> kPageBits) % kFastPages] = {tag, bytes, page ? page->ops : nullptr};
  return bytes;
}

uint64_t Machine::run_fast(uint64_t budget) {
  static const void* const kHandlers[kOps] = {
      &&Undecoded, &&leave,
#define LENTO_LABEL(name, ...) &&name,
#define LENTO_LEAVE(name, ...) &&leave,
      LENTO_RISCV_REGISTER(LENTO_LABEL) LENTO_RISCV_IMMEDIATE(LENTO_LABEL) LENTO_RISCV_LOAD(LENTO_LABEL)
          LENTO_RISCV_STORE(LENTO_LABEL) LENTO_RISCV_BRANCH(LENTO_LABEL) LENTO_RISCV_ATOMIC(LENTO_LEAVE)
              LENTO_RISCV_CSR(LENTO_LEAVE) LENTO_RISCV_OTHER(LENTO_LABEL)};
#undef LENTO_LABEL
#undef LENTO_LEAVE
  constexpr uint64_t kLongest = CodeCache::kWords;
  uint32_t* const x = hart_.x;
  CodeCache::Page* page = nullptr;
  const Instruction *at = nullptr, *first = nullptr;
  uint32_t base = 0, pc = hart_.pc, address = 0;
  uint64_t left = budget;

#define DISPATCH() goto* kHandlers[static_cast<int>(at->op)]
#define NEXT() \
  ++at;        \
  DISPATCH()
// A jump of `distance` bytes; inside the page without another look, and with a dispatch of its own.
#define TAKE(distance)                                                                       \
  {                                                                                          \
    const Instruction* const to = at + ((distance) >> 2);                                    \
    const uint64_t done = static_cast<uint64_t>(at - first) + 1;                             \
    if (static_cast<size_t>(to - page->ops) < CodeCache::kWords && left - done > kLongest && \
        !((distance)&2)) [[likely]] {                                                        \
      left -= done, first = at = to;                                                         \
      DISPATCH();                                                                            \
    }                                                                                        \
    pc = PC() + static_cast<uint32_t>(distance);                                             \
    if (pc & 3) goto leave;                                                                  \
    goto jump;                                                                               \
  }
#define PC() (base + static_cast<uint32_t>(at - page->ops) * 4)

enter:
  if (left <= kLongest || (pc & 3)) goto out;
  page = code_.find(pc);
  if (!page) [[unlikely]]
    goto out;
  base = pc & ~(kPageBytes - 1);
  first = at = page->ops + (pc >> 2) % CodeCache::kWords;
  DISPATCH();
jump:  // to `pc`; the jump itself is at `at`
  left -= static_cast<uint64_t>(at - first) + 1;
  if ((pc & ~(kPageBytes - 1)) != base) goto enter;
  if (left <= kLongest || (pc & 3)) [[unlikely]]
    goto out;
  first = at = page->ops + (pc >> 2) % CodeCache::kWords;
  DISPATCH();
Undecoded:
  if (at == page->ops + CodeCache::kWords) {
    left -= static_cast<uint64_t>(at - first);
    pc = PC();
    goto enter;
  }
  code_.decode_at(*page, static_cast<uint32_t>(at - page->ops));
  DISPATCH();

#define REGISTER(name, ...)                          \
  name:                                              \
  x[at->rd] = alu(Op::name, x[at->rs1], x[at->rs2]); \
  NEXT();
  LENTO_RISCV_REGISTER(REGISTER)
#define IMMEDIATE(name, ...)                                             \
  name:                                                                  \
  x[at->rd] = alu(Op::name, x[at->rs1], static_cast<uint32_t>(at->imm)); \
  NEXT();
  LENTO_RISCV_IMMEDIATE(IMMEDIATE)
#define LOAD(name, ...)                                                 \
  name : {                                                              \
    constexpr unsigned kSize = access_size(Op::name);                   \
    address = x[at->rs1] + static_cast<uint32_t>(at->imm);              \
    const FastPage& fast = loads_[(address >> kPageBits) % kFastPages]; \
    const uint8_t* bytes = fast.bytes;                                  \
    if ((address & ~(kPageBytes - kSize)) != fast.tag) [[unlikely]] {   \
      bytes = fast_page(address, kSize, false);                         \
      if (!bytes) goto leave;                                           \
    }                                                                   \
    uint32_t value = 0;                                                 \
    std::memcpy(&value, bytes + address % kPageBytes, kSize);           \
    x[at->rd] = extend(Op::name, value);                                \
    NEXT();                                                             \
  }
  LENTO_RISCV_LOAD(LOAD)
#define STORE(name, ...)                                                 \
  name : {                                                               \
    constexpr unsigned kSize = access_size(Op::name);                    \
    address = x[at->rs1] + static_cast<uint32_t>(at->imm);               \
    if (address == watched_) [[unlikely]]                                \
      goto leave;                                                        \
    const FastPage& fast = stores_[(address >> kPageBits) % kFastPages]; \
    if ((address & ~(kPageBytes - kSize)) != fast.tag) [[unlikely]] {    \
      if (!fast_page(address, kSize, true)) goto store;                  \
      DISPATCH();                                                        \
    }                                                                    \
    std::memcpy(fast.bytes + address % kPageBytes, &x[at->rs2], kSize);  \
    if (fast.code) [[unlikely]]                                          \
      fast.code[address / 4 % CodeCache::kWords].op = Op::Undecoded;     \
    NEXT();                                                              \
  }
  LENTO_RISCV_STORE(STORE)
#define BRANCH(name, ...)                                            \
  name:                                                              \
  if (branch_taken(Op::name, x[at->rs1], x[at->rs2])) TAKE(at->imm); \
  NEXT();
  LENTO_RISCV_BRANCH(BRANCH)
store:  // misaligned
  if (store(address, access_size(at->op), x[at->rs2]) != Access::Done) goto leave;
  NEXT();
Lui:
  x[at->rd] = static_cast<uint32_t>(at->imm);
  NEXT();
Auipc:
  x[at->rd] = PC() + static_cast<uint32_t>(at->imm);
  NEXT();
Jal:
  if (at->imm & 2) goto leave;
  x[at->rd] = PC() + 4;
  TAKE(at->imm);
Jalr : {
  pc = (x[at->rs1] + static_cast<uint32_t>(at->imm)) & ~1u;
  if (pc & 3) goto leave;
  x[at->rd] = PC() + 4;
  const uint64_t done = static_cast<uint64_t>(at - first) + 1;
  if ((pc ^ base) >= kPageBytes || left - done <= kLongest) goto jump;
  left -= done;
  first = at = page->ops + (pc >> 2) % CodeCache::kWords;
  DISPATCH();
}

Fence:
FenceI:
Ecall:
Ebreak:
Mret:
Wfi:
leave:  // before the instruction at `at`
  left -= static_cast<uint64_t>(at - first);
  pc = PC();
out:
  hart_.pc = pc;
  hart_.instret += budget - left;
  cycle_ += budget - left;
  return budget - left;

#undef DISPATCH
#undef NEXT
#undef PC
#undef TAKE
#undef REGISTER
#undef IMMEDIATE
#undef LOAD
#undef STORE
#undef BRANCH
}

}  // namespace lento::riscv
