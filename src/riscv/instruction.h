// RV32I with optional M, A and Zicsr: one table of instructions, a decoder and a disassembler. Source: The
// RISC-V Instruction Set Manual, Volume I, 20191213 (RV32I 2.1, M 2.0, A 2.1, Zicsr 2.0).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lento::riscv {

// The encoding and the assembler syntax of operands.
enum class Format : uint8_t {
  None,
  R,
  I,
  Shift,
  Load,
  Store,
  Branch,
  Upper,
  Jump,
  Amo,
  Csr,
  CsrImmediate,
  Fence
};

// The table of instructions as X(name, mnemonic, format, match, mask, extension), where `word & mask ==
// match` selects the instruction. The instructions of a group are executed alike, so users can expand one
// group at a time.
#define LENTO_RISCV_REGISTER(X)                       \
  X(Add, "add", R, 0x00000033, 0xfe00707f, 'I')       \
  X(Sub, "sub", R, 0x40000033, 0xfe00707f, 'I')       \
  X(Sll, "sll", R, 0x00001033, 0xfe00707f, 'I')       \
  X(Slt, "slt", R, 0x00002033, 0xfe00707f, 'I')       \
  X(Sltu, "sltu", R, 0x00003033, 0xfe00707f, 'I')     \
  X(Xor, "xor", R, 0x00004033, 0xfe00707f, 'I')       \
  X(Srl, "srl", R, 0x00005033, 0xfe00707f, 'I')       \
  X(Sra, "sra", R, 0x40005033, 0xfe00707f, 'I')       \
  X(Or, "or", R, 0x00006033, 0xfe00707f, 'I')         \
  X(And, "and", R, 0x00007033, 0xfe00707f, 'I')       \
  X(Mul, "mul", R, 0x02000033, 0xfe00707f, 'M')       \
  X(Mulh, "mulh", R, 0x02001033, 0xfe00707f, 'M')     \
  X(Mulhsu, "mulhsu", R, 0x02002033, 0xfe00707f, 'M') \
  X(Mulhu, "mulhu", R, 0x02003033, 0xfe00707f, 'M')   \
  X(Div, "div", R, 0x02004033, 0xfe00707f, 'M')       \
  X(Divu, "divu", R, 0x02005033, 0xfe00707f, 'M')     \
  X(Rem, "rem", R, 0x02006033, 0xfe00707f, 'M')       \
  X(Remu, "remu", R, 0x02007033, 0xfe00707f, 'M')

#define LENTO_RISCV_IMMEDIATE(X)                      \
  X(Addi, "addi", I, 0x00000013, 0x0000707f, 'I')     \
  X(Slti, "slti", I, 0x00002013, 0x0000707f, 'I')     \
  X(Sltiu, "sltiu", I, 0x00003013, 0x0000707f, 'I')   \
  X(Xori, "xori", I, 0x00004013, 0x0000707f, 'I')     \
  X(Ori, "ori", I, 0x00006013, 0x0000707f, 'I')       \
  X(Andi, "andi", I, 0x00007013, 0x0000707f, 'I')     \
  X(Slli, "slli", Shift, 0x00001013, 0xfe00707f, 'I') \
  X(Srli, "srli", Shift, 0x00005013, 0xfe00707f, 'I') \
  X(Srai, "srai", Shift, 0x40005013, 0xfe00707f, 'I')

#define LENTO_RISCV_LOAD(X)                        \
  X(Lb, "lb", Load, 0x00000003, 0x0000707f, 'I')   \
  X(Lh, "lh", Load, 0x00001003, 0x0000707f, 'I')   \
  X(Lw, "lw", Load, 0x00002003, 0x0000707f, 'I')   \
  X(Lbu, "lbu", Load, 0x00004003, 0x0000707f, 'I') \
  X(Lhu, "lhu", Load, 0x00005003, 0x0000707f, 'I')

#define LENTO_RISCV_STORE(X)                      \
  X(Sb, "sb", Store, 0x00000023, 0x0000707f, 'I') \
  X(Sh, "sh", Store, 0x00001023, 0x0000707f, 'I') \
  X(Sw, "sw", Store, 0x00002023, 0x0000707f, 'I')

#define LENTO_RISCV_BRANCH(X)                          \
  X(Beq, "beq", Branch, 0x00000063, 0x0000707f, 'I')   \
  X(Bne, "bne", Branch, 0x00001063, 0x0000707f, 'I')   \
  X(Blt, "blt", Branch, 0x00004063, 0x0000707f, 'I')   \
  X(Bge, "bge", Branch, 0x00005063, 0x0000707f, 'I')   \
  X(Bltu, "bltu", Branch, 0x00006063, 0x0000707f, 'I') \
  X(Bgeu, "bgeu", Branch, 0x00007063, 0x0000707f, 'I')

#define LENTO_RISCV_ATOMIC(X)                                \
  X(LrW, "lr.w", Amo, 0x1000202f, 0xf9f0707f, 'A')           \
  X(ScW, "sc.w", Amo, 0x1800202f, 0xf800707f, 'A')           \
  X(AmoswapW, "amoswap.w", Amo, 0x0800202f, 0xf800707f, 'A') \
  X(AmoaddW, "amoadd.w", Amo, 0x0000202f, 0xf800707f, 'A')   \
  X(AmoxorW, "amoxor.w", Amo, 0x2000202f, 0xf800707f, 'A')   \
  X(AmoandW, "amoand.w", Amo, 0x6000202f, 0xf800707f, 'A')   \
  X(AmoorW, "amoor.w", Amo, 0x4000202f, 0xf800707f, 'A')     \
  X(AmominW, "amomin.w", Amo, 0x8000202f, 0xf800707f, 'A')   \
  X(AmomaxW, "amomax.w", Amo, 0xa000202f, 0xf800707f, 'A')   \
  X(AmominuW, "amominu.w", Amo, 0xc000202f, 0xf800707f, 'A') \
  X(AmomaxuW, "amomaxu.w", Amo, 0xe000202f, 0xf800707f, 'A')

#define LENTO_RISCV_CSR(X)                                       \
  X(Csrrw, "csrrw", Csr, 0x00001073, 0x0000707f, 'Z')            \
  X(Csrrs, "csrrs", Csr, 0x00002073, 0x0000707f, 'Z')            \
  X(Csrrc, "csrrc", Csr, 0x00003073, 0x0000707f, 'Z')            \
  X(Csrrwi, "csrrwi", CsrImmediate, 0x00005073, 0x0000707f, 'Z') \
  X(Csrrsi, "csrrsi", CsrImmediate, 0x00006073, 0x0000707f, 'Z') \
  X(Csrrci, "csrrci", CsrImmediate, 0x00007073, 0x0000707f, 'Z')

#define LENTO_RISCV_OTHER(X)                              \
  X(Lui, "lui", Upper, 0x00000037, 0x0000007f, 'I')       \
  X(Auipc, "auipc", Upper, 0x00000017, 0x0000007f, 'I')   \
  X(Jal, "jal", Jump, 0x0000006f, 0x0000007f, 'I')        \
  X(Jalr, "jalr", Load, 0x00000067, 0x0000707f, 'I')      \
  X(Fence, "fence", Fence, 0x0000000f, 0x0000707f, 'I')   \
  X(FenceI, "fence.i", None, 0x0000100f, 0x0000707f, 'I') \
  X(Ecall, "ecall", None, 0x00000073, 0xffffffff, 'I')    \
  X(Ebreak, "ebreak", None, 0x00100073, 0xffffffff, 'I')  \
  X(Mret, "mret", None, 0x30200073, 0xffffffff, 'Z')      \
  X(Wfi, "wfi", None, 0x10500073, 0xffffffff, 'Z')

#define LENTO_RISCV_ALL(X) \
  LENTO_RISCV_REGISTER(X)  \
  LENTO_RISCV_IMMEDIATE(X) \
  LENTO_RISCV_LOAD(X)      \
  LENTO_RISCV_STORE(X) LENTO_RISCV_BRANCH(X) LENTO_RISCV_ATOMIC(X) LENTO_RISCV_CSR(X) LENTO_RISCV_OTHER(X)

// Operations in the order of the table. Undecoded marks entries of the interpreter's code cache, and decode()
// never returns it.
enum class Op : uint8_t {
  Undecoded = 0,
  Illegal,
#define LENTO_RISCV_NAME(name, ...) name,
  LENTO_RISCV_ALL(LENTO_RISCV_NAME)
#undef LENTO_RISCV_NAME
};
#define LENTO_RISCV_COUNT(...) +1
inline constexpr int kOps = 2 LENTO_RISCV_ALL(LENTO_RISCV_COUNT);
#undef LENTO_RISCV_COUNT

// One decoded instruction. Operands that the format lacks are 0.
struct Instruction {
  Op op = Op::Illegal;
  // Numbers of registers. For CsrImmediate, rs1 is the 5-bit immediate.
  uint8_t rd = 0;
  uint8_t rs1 = 0;
  uint8_t rs2 = 0;
  int32_t imm = 0;  // sign-extended; Upper: already shifted; Csr: the CSR number; Fence: its fields

  bool operator==(const Instruction&) const = default;
};
static_assert(sizeof(Instruction) == 8);

// Extensions beyond RV32I that decode() accepts. Instructions of the others yield Op::Illegal.
struct Extensions {
  bool m = true;
  bool a = true;
  bool zicsr = true;  // with the machine-mode instructions mret and wfi
};

// Returns the decoded instruction, or Op::Illegal with all operands 0 when the word is no instruction of the
// chosen extensions.
Instruction decode(uint32_t word, const Extensions& extensions = {});

// Returns the word that decodes to `instruction`, with acquire and release bits 0. Tests, patches and
// generators use it.
uint32_t encode(const Instruction& instruction);

Format format_of(Op op);
std::string_view mnemonic(Op op);  // "addi"; "illegal" for Op::Illegal

constexpr bool is_load(Op op) {
  return op >= Op::Lb && op <= Op::Lhu;
}
constexpr bool is_store(Op op) {
  return op >= Op::Sb && op <= Op::Sw;
}
constexpr bool is_branch(Op op) {
  return op >= Op::Beq && op <= Op::Bgeu;
}
constexpr bool is_atomic(Op op) {
  return op >= Op::LrW && op <= Op::AmomaxuW;
}
constexpr bool is_multiply(Op op) {
  return op >= Op::Mul && op <= Op::Mulhu;
}
constexpr bool is_divide(Op op) {
  return op >= Op::Div && op <= Op::Remu;
}
constexpr bool is_jump(Op op) {
  return op == Op::Jal || op == Op::Jalr;
}
bool writes_rd(Op op);  // the format has a destination register
bool reads_rs1(Op op);
bool reads_rs2(Op op);

// Returns the bytes that a load, store or atomic accesses, and 0 for other operations.
constexpr unsigned access_size(Op op) {
  if (op == Op::Lb || op == Op::Lbu || op == Op::Sb)
    return 1;
  if (op == Op::Lh || op == Op::Lhu || op == Op::Sh)
    return 2;
  return op == Op::Lw || op == Op::Sw || is_atomic(op) ? 4 : 0;
}

// Returns "addi a0, sp, -16", "beq a0, a1, 0x80000010" (targets are absolute) or "lw a0, 8(sp)".
std::string disassemble(const Instruction& instruction, uint32_t pc);

// Returns the ABI name of register 0..31: "zero", "ra", "sp" and so on.
std::string_view register_name(unsigned index);

}  // namespace lento::riscv
