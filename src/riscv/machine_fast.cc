// The fast loop of the functional machine runs stretches of instructions without counting single ones.
//
// Idea: pc follows from the position in the predecoded page, instructions are counted at taken jumps (last -
// first + 1), and loads and stores use a small table of page pointers whose tag check includes alignment.
// Frequent pairs of instructions have one handler, which saves every second dispatch. Rare cases (CSRs,
// atomics, traps, the store to `tohost`, the last instructions of a budget) leave the loop with exact state,
// and riscv::run, which has its own predecoded code, executes one instruction.
//
// Invariants:
//   1. At `enter` and at every jump, more than a page of instructions is left, so that no check is needed
//      until the next jump: a straight run ends with its page.
//   2. A page pointer for stores records whether the page holds predecoded code. A store there marks the word
//      undecoded, and also the word before it, which may hold a pair.
//   3. The second entry of a pair has valid operands, but its op may be Undecoded.
#include <cstring>
#include <iterator>
#include <utility>

#include "riscv/machine.h"

namespace lento::riscv {

namespace {

// Lists the pairs of instructions that one handler executes: any of LENTO_FIRSTS, then any of LENTO_SECONDS.
#define LENTO_FIRSTS(X) X(Addi) X(Add) X(Andi) X(Slli) X(Lui) X(Lw) X(Lbu) X(Sw) X(Sb)
#define LENTO_SECONDS(X, first) \
  X(first, Addi)                \
  X(first, Add)                 \
  X(first, Slli)                \
  X(first, Lw)                  \
  X(first, Lbu)                 \
  X(first, Sw)                  \
  X(first, Sb)                  \
  X(first, Beq)                 \
  X(first, Bne) X(first, Blt) X(first, Bge) X(first, Bltu) X(first, Bgeu) X(first, Jal) X(first, Jalr)

struct Pair {
  Op first;
  Op second;
};
constexpr Pair kPairs[] = {
#define LENTO_PAIR(first, second) {Op::first, Op::second},
#define LENTO_PAIRS(first) LENTO_SECONDS(LENTO_PAIR, first)
    LENTO_FIRSTS(LENTO_PAIRS)
#undef LENTO_PAIRS
#undef LENTO_PAIR
};
static_assert(kOps + std::size(kPairs) <= 256, "the op of a pair is one byte");

// Returns the op of the pair, or `first` when the pair has no handler.
Op pair_of(Op first, Op second) {
  for (size_t i = 0; i < std::size(kPairs); ++i) {
    if (kPairs[i].first == first && kPairs[i].second == second)
      return static_cast<Op>(kOps + i);
  }
  return first;
}

// Decodes an instruction. A frequent pair of instructions becomes one operation.
void decode_pair(const CodeCache& code, CodeCache::Page& page, uint32_t index) {
  code.decode_at(page, index);
  if (index + 1 == CodeCache::kWords)
    return;
  Instruction second = page.ops[index + 1];
  if (second.op == Op::Undecoded) {
    code.decode_at(page, index + 1);
    std::swap(second.op, page.ops[index + 1].op);
  } else {
    second = code.decoded(page, index + 1);
  }
  page.ops[index].op = pair_of(page.ops[index].op, second.op);
}

}  // namespace

// Returns the page of RAM of an aligned access and caches its pointer, or nullptr when the access needs the
// general path.
uint8_t* Machine::fast_page(uint32_t address, unsigned size, bool store) {
  const uint32_t tag = address & ~(kPageBytes - 1);
  if (address & (size - 1))
    return nullptr;
  uint8_t* const bytes = memory_.page(address);
  if (!bytes)
    return nullptr;
  CodeCache::Page* page = store ? fast_code_.find(address) : nullptr;
  if (store && !page && code_.find(address))
    page = fast_code_page(address);
  (store ? stores_ : loads_)[(address >> kPageBits) % kFastPages] = {tag, bytes, page ? page->ops : nullptr};
  return bytes;
}

// Discards decoded instructions that a store changed.
void Machine::code_written(uint32_t address, unsigned size) {
  code_.written(address, size);
  fast_code_.written(address, size);
  CodeCache::Page* const page = fast_code_.find(address);
  const uint32_t word = address / 4 % CodeCache::kWords;
  if (page && word > 0)
    page->ops[word - 1].op = Op::Undecoded;
}

CodeCache::Page* Machine::fast_code_page(uint32_t pc) {
  if (CodeCache::Page* page = fast_code_.find(pc))
    return page;
  const uint8_t* const bytes = code_page(pc);
  return bytes ? fast_code_.add(pc, bytes) : nullptr;
}

uint64_t Machine::run_fast(uint64_t budget) {
  static const void* const kHandlers[kOps + std::size(kPairs)] = {
      &&Undecoded,
      &&leave,
#define LENTO_LABEL(name, ...) &&name,
#define LENTO_LEAVE(name, ...) &&leave,
      LENTO_RISCV_REGISTER(LENTO_LABEL) LENTO_RISCV_IMMEDIATE(LENTO_LABEL) LENTO_RISCV_LOAD(LENTO_LABEL)
          LENTO_RISCV_STORE(LENTO_LABEL) LENTO_RISCV_BRANCH(LENTO_LABEL) LENTO_RISCV_ATOMIC(LENTO_LEAVE)
              LENTO_RISCV_CSR(LENTO_LEAVE) LENTO_RISCV_OTHER(LENTO_LABEL)
#define LENTO_PAIR(first, second) &&first##_##second,
#define LENTO_PAIRS(first) LENTO_SECONDS(LENTO_PAIR, first)
                  LENTO_FIRSTS(LENTO_PAIRS)};
#undef LENTO_PAIRS
#undef LENTO_PAIR
#undef LENTO_LABEL
#undef LENTO_LEAVE
  constexpr uint64_t kLongest = CodeCache::kWords;
  uint32_t* const x = hart_.x;
  CodeCache::Page* page = nullptr;
  const Instruction* at = nullptr;
  const Instruction* first = nullptr;
  uint32_t base = 0;
  uint32_t pc = hart_.pc;
  uint32_t address = 0;
  unsigned size = 0;  // of the store that needs the careful way
  uint64_t left = budget;

#define DISPATCH() goto* kHandlers[int(at->op)]
#define NEXT() \
  ++at;        \
  DISPATCH()
// Jumps by `distance` bytes. Inside the page it needs no new lookup and has a dispatch of its own, which the
// branch predictor learns separately.
#define TAKE(distance)                                                                           \
  {                                                                                              \
    const Instruction* const to = at + ((distance) >> 2);                                        \
    const uint64_t done = uint64_t(at - first) + 1;                                              \
    if (size_t(to - page->ops) < CodeCache::kWords && left - done > kLongest && !((distance)&2)) \
        [[likely]] {                                                                             \
      left -= done, first = at = to;                                                             \
      DISPATCH();                                                                                \
    }                                                                                            \
    pc = PC() + uint32_t(distance);                                                              \
    if (pc & 3)                                                                                  \
      goto leave;                                                                                \
    goto jump;                                                                                   \
  }
#define PC() (base + uint32_t(at - page->ops) * 4)

enter:
  if (left <= kLongest || (pc & 3))
    goto out;
  page = fast_code_page(pc);
  if (!page) [[unlikely]]
    goto out;
  base = pc & ~(kPageBytes - 1);
  first = at = page->ops + (pc >> 2) % CodeCache::kWords;
  DISPATCH();
jump:  // to `pc`; the jump itself is at `at`
  left -= uint64_t(at - first) + 1;
  if ((pc & ~(kPageBytes - 1)) != base)
    goto enter;
  if (left <= kLongest || (pc & 3)) [[unlikely]]
    goto out;
  first = at = page->ops + (pc >> 2) % CodeCache::kWords;
  DISPATCH();
Undecoded:
  if (at == page->ops + CodeCache::kWords) {
    left -= uint64_t(at - first);
    pc = PC();
    goto enter;
  }
  decode_pair(fast_code_, *page, uint32_t(at - page->ops));
  DISPATCH();

// Bodies of the handlers. Each executes the instruction at `at`, and control continues after it unless it
// jumps.
#define REGISTER(name) x[at->rd] = alu(Op::name, x[at->rs1], x[at->rs2]);
#define IMMEDIATE(name) x[at->rd] = alu(Op::name, x[at->rs1], uint32_t(at->imm));
#define LOAD(name)                                                      \
  {                                                                     \
    constexpr unsigned kSize = access_size(Op::name);                   \
    address = x[at->rs1] + uint32_t(at->imm);                           \
    const FastPage& fast = loads_[(address >> kPageBits) % kFastPages]; \
    const uint8_t* bytes = fast.bytes;                                  \
    if ((address & ~(kPageBytes - kSize)) != fast.tag) [[unlikely]] {   \
      bytes = fast_page(address, kSize, false);                         \
      if (!bytes)                                                       \
        goto leave;                                                     \
    }                                                                   \
    uint32_t value = 0;                                                 \
    std::memcpy(&value, bytes + address % kPageBytes, kSize);           \
    x[at->rd] = extend(Op::name, value);                                \
  }
#define STORE(name)                                                      \
  {                                                                      \
    constexpr unsigned kSize = access_size(Op::name);                    \
    address = x[at->rs1] + uint32_t(at->imm);                            \
    if (address == watched_) [[unlikely]]                                \
      goto leave;                                                        \
    const FastPage& fast = stores_[(address >> kPageBits) % kFastPages]; \
    if ((address & ~(kPageBytes - kSize)) != fast.tag) [[unlikely]] {    \
      size = kSize;                                                      \
      goto store;                                                        \
    }                                                                    \
    std::memcpy(fast.bytes + address % kPageBytes, &x[at->rs2], kSize);  \
    if (fast.code) [[unlikely]]                                          \
      goto stored_code;                                                  \
  }
#define BRANCH(name)                                  \
  if (branch_taken(Op::name, x[at->rs1], x[at->rs2])) \
    TAKE(at->imm);
#define DO_Addi IMMEDIATE(Addi)
#define DO_Andi IMMEDIATE(Andi)
#define DO_Slli IMMEDIATE(Slli)
#define DO_Add REGISTER(Add)
#define DO_Lw LOAD(Lw)
#define DO_Lbu LOAD(Lbu)
#define DO_Sw STORE(Sw)
#define DO_Sb STORE(Sb)
#define DO_Beq BRANCH(Beq)
#define DO_Bne BRANCH(Bne)
#define DO_Blt BRANCH(Blt)
#define DO_Bge BRANCH(Bge)
#define DO_Bltu BRANCH(Bltu)
#define DO_Bgeu BRANCH(Bgeu)
#define DO_Lui x[at->rd] = uint32_t(at->imm);
#define DO_Jal            \
  {                       \
    if (at->imm & 2)      \
      goto leave;         \
    x[at->rd] = PC() + 4; \
    TAKE(at->imm);        \
  }
#define DO_Jalr                                               \
  {                                                           \
    pc = (x[at->rs1] + uint32_t(at->imm)) & ~1u;              \
    if (pc & 3)                                               \
      goto leave;                                             \
    x[at->rd] = PC() + 4;                                     \
    const uint64_t done = uint64_t(at - first) + 1;           \
    if ((pc ^ base) >= kPageBytes || left - done <= kLongest) \
      goto jump;                                              \
    left -= done;                                             \
    first = at = page->ops + (pc >> 2) % CodeCache::kWords;   \
    DISPATCH();                                               \
  }

#define HANDLER(kind, name) \
  name:                     \
  kind(name) NEXT();
#define REGISTER_HANDLER(name, ...) HANDLER(REGISTER, name)
#define IMMEDIATE_HANDLER(name, ...) HANDLER(IMMEDIATE, name)
#define LOAD_HANDLER(name, ...) HANDLER(LOAD, name)
#define STORE_HANDLER(name, ...) HANDLER(STORE, name)
#define BRANCH_HANDLER(name, ...) HANDLER(BRANCH, name)
  LENTO_RISCV_REGISTER(REGISTER_HANDLER)
  LENTO_RISCV_IMMEDIATE(IMMEDIATE_HANDLER)
  LENTO_RISCV_LOAD(LOAD_HANDLER)
  LENTO_RISCV_STORE(STORE_HANDLER)
  LENTO_RISCV_BRANCH(BRANCH_HANDLER)
#define PAIR_HANDLER(first, second) \
  first##_##second : DO_##first;    \
  ++at;                             \
  DO_##second NEXT();
#define PAIR_HANDLERS(first) LENTO_SECONDS(PAIR_HANDLER, first)
  LENTO_FIRSTS(PAIR_HANDLERS)
store:  // misaligned, or to a page seen for the first time
  if (store(address, size, x[at->rs2]) != Access::Done)
    goto leave;
  fast_page(address, size, true);
  NEXT();
stored_code : {
  const uint32_t word = address / 4 % CodeCache::kWords;
  Instruction* const ops = stores_[(address >> kPageBits) % kFastPages].code;
  ops[word].op = Op::Undecoded;
  ops[word ? word - 1 : 0].op = Op::Undecoded;
  code_.written(address, 1);
  NEXT();
}
Lui:
  DO_Lui NEXT();
Auipc:
  x[at->rd] = PC() + uint32_t(at->imm);
  NEXT();
Jal:
  DO_Jal Jalr : DO_Jalr

                    Fence : FenceI : Ecall : Ebreak : Mret : Wfi : leave :  // before the instruction at `at`
                                                                            left -= uint64_t(at - first);
  pc = PC();
out:
  hart_.pc = pc;
  hart_.instret += budget - left;
  cycle_ += budget - left;
  return budget - left;
}

}  // namespace lento::riscv
