// Executes the instructions on control and status registers. Reading and writing are separate calls of Hart,
// because csrrs and csrrc with a zero operand must not write, and a write to a read-only register is illegal.
// Source: The RISC-V Instruction Set Manual, Volume I, chapter Zicsr.
#include "riscv/interpreter.h"

namespace lento::riscv {

bool execute_csr(Hart& hart, const Instruction& n, uint64_t cycle, bool& recheck) {
  const uint32_t number = uint32_t(n.imm) & 0xfff;
  const bool immediate = n.op >= Op::Csrrwi;
  const uint32_t operand = immediate ? n.rs1 : hart.x[n.rs1];
  const bool replaces = n.op == Op::Csrrw || n.op == Op::Csrrwi;
  const bool sets = n.op == Op::Csrrs || n.op == Op::Csrrsi;
  uint32_t old = 0;
  if (!hart.read_csr(number, cycle, old))
    return false;
  if (replaces || n.rs1 != 0) {  // csrrs and csrrc with x0 or 0 only read
    const uint32_t value = replaces ? operand : sets ? old | operand : old & ~operand;
    if (!hart.write_csr(number, cycle, value))
      return false;
  }
  hart.x[n.rd] = old;
  recheck = number == 0x300 || number == 0x304;
  return true;
}

}  // namespace lento::riscv
