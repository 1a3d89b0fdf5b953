// The architectural state of one hart: registers, machine-mode CSRs, traps and interrupts. Source: RISC-V
// Privileged Architecture 20211203, machine mode only (mstatus.MPP always reads M).
#pragma once

#include <cstdint>

namespace lento::riscv {

enum Cause : uint32_t {
  kInstructionMisaligned = 0,
  kInstructionFault = 1,
  kIllegalInstruction = 2,
  kBreakpoint = 3,
  kLoadMisaligned = 4,
  kLoadFault = 5,
  kStoreMisaligned = 6,
  kStoreFault = 7,
  kMachineEcall = 11,
  kSoftwareInterrupt = 0x80000003,
  kTimerInterrupt = 0x80000007,
  kExternalInterrupt = 0x8000000b,
};

// Bits of mip and mie.
inline constexpr uint32_t kSoftwareBit = 1u << 3;
inline constexpr uint32_t kTimerBit = 1u << 7;
inline constexpr uint32_t kExternalBit = 1u << 11;

struct Hart {
  uint32_t x[33] = {};  // x[32] takes what is written to x0
  uint32_t pc = 0;
  uint32_t id = 0;

  uint32_t mstatus = 0x1800;  // MPP = M
  uint32_t mie = 0;
  uint32_t mip = 0;
  uint32_t mtvec = 0;
  uint32_t mscratch = 0;
  uint32_t mepc = 0;
  uint32_t mcause = 0;
  uint32_t mtval = 0;
  uint64_t instret = 0;  // instructions completed
  // The offsets that software's writes to mcycle and minstret add to the true counts.
  int64_t cycle_offset = 0;
  int64_t instret_offset = 0;

  bool reserved = false;  // lr.w holds `reservation`
  uint32_t reservation = 0;

  // Enters the trap handler: saves pc and interrupt state and jumps to mtvec, for interrupts in vectored mode
  // to the entry of the cause.
  void trap(uint32_t cause, uint32_t value);
  void mret();

  bool takes_interrupts() const {
    return mie != 0 && (mstatus & 8) != 0;
  }
  // Returns the cause of the interrupt to take now, or 0. The order is external, software, timer.
  uint32_t pending_interrupt() const;

  // Reads a CSR. Returns false when it does not exist. cycle, mcycle and time are derived from `cycle`.
  bool read_csr(uint32_t number, uint64_t cycle, uint32_t& value) const;
  // Reads the counters of cycles, time and retired instructions, or their high halves.
  bool read_counter(uint32_t number, uint64_t cycle, uint32_t& value) const;
  // Writes a CSR. Returns false when it does not exist or is read-only.
  bool write_csr(uint32_t number, uint64_t cycle, uint32_t value);

  bool operator==(const Hart&) const = default;
};

}  // namespace lento::riscv
