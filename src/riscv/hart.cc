// Implements control registers, traps and interrupts of one hart. Counters keep an offset to the simulator's
// own counts, so software may write mcycle and minstret without changing the simulated time. Source: RISC-V
// Privileged Architecture 20211203, chapter 3.
#include "riscv/hart.h"

namespace lento::riscv {
namespace {

constexpr uint32_t kMieBit = 1u << 3;
constexpr uint32_t kMpieBit = 1u << 7;
constexpr uint32_t kMpp = 3u << 11;
constexpr uint32_t kMisa = (1u << 30) | (1u << 0) | (1u << 8) | (1u << 12);  // RV32IMA
constexpr uint32_t kInterrupts = kSoftwareBit | kTimerBit | kExternalBit;

// Replaces the low or high half of a counter and returns the new offset to the true count.
int64_t counter_offset(uint64_t true_count, int64_t offset, uint32_t value, bool high) {
  const uint64_t seen = true_count + uint64_t(offset);
  const uint64_t wanted =
      high ? (seen & 0xffffffffu) | (uint64_t{value} << 32) : (seen & ~uint64_t{0xffffffffu}) | value;
  return int64_t(wanted - true_count);
}

}  // namespace

void Hart::trap(uint32_t cause, uint32_t value) {
  mepc = pc;
  mcause = cause;
  mtval = value;
  mstatus = (mstatus & ~(kMieBit | kMpieBit)) | (mstatus & kMieBit ? kMpieBit : 0) | kMpp;
  const bool vectored = (mtvec & 1) && (cause >> 31);
  pc = (mtvec & ~3u) + (vectored ? 4 * (cause & 0x7fffffffu) : 0);
}

void Hart::mret() {
  pc = mepc;
  mstatus = (mstatus & ~kMieBit) | (mstatus & kMpieBit ? kMieBit : 0) | kMpieBit | kMpp;
}

uint32_t Hart::pending_interrupt() const {
  if (!(mstatus & kMieBit))
    return 0;
  const uint32_t ready = mip & mie;
  if (ready & kExternalBit)
    return kExternalInterrupt;
  if (ready & kSoftwareBit)
    return kSoftwareInterrupt;
  if (ready & kTimerBit)
    return uint32_t{kTimerInterrupt};
  return 0;
}

bool Hart::read_counter(uint32_t number, uint64_t cycle, uint32_t& value) const {
  constexpr uint32_t kHigh = 0x80;
  uint64_t whole = cycle;
  switch (number & ~kHigh) {
    case 0xb00:
    case 0xc00:
      whole += uint64_t(cycle_offset);
      break;
    case 0xb02:
    case 0xc02:
      whole = instret + uint64_t(instret_offset);
      break;
    case 0xc01:  // time
      break;
    default:
      return false;
  }
  value = uint32_t(number & kHigh ? whole >> 32 : whole);
  return true;
}

bool Hart::read_csr(uint32_t number, uint64_t cycle, uint32_t& value) const {
  switch (number) {
    case 0x300:
      value = mstatus;
      return true;
    case 0x301:
      value = kMisa;
      return true;
    case 0x304:
      value = mie;
      return true;
    case 0x305:
      value = mtvec;
      return true;
    case 0x340:
      value = mscratch;
      return true;
    case 0x341:
      value = mepc;
      return true;
    case 0x342:
      value = mcause;
      return true;
    case 0x343:
      value = mtval;
      return true;
    case 0x344:
      value = mip;
      return true;
    case 0xf14:
      value = id;
      return true;
    case 0x310:  // mstatush
    case 0xf11:  // mvendorid
    case 0xf12:  // marchid
    case 0xf13:  // mimpid
      value = 0;
      return true;
    default:
      return read_counter(number, cycle, value);
  }
}

bool Hart::write_csr(uint32_t number, uint64_t cycle, uint32_t value) {
  switch (number) {
    case 0x300:
      mstatus = (value & (kMieBit | kMpieBit)) | kMpp;
      return true;
    case 0x301:
    case 0x310:
      return true;  // misa and mstatush are fixed
    case 0x304:
      mie = value & kInterrupts;
      return true;
    case 0x305:
      mtvec = value & ~2u;
      return true;
    case 0x340:
      mscratch = value;
      return true;
    case 0x341:
      mepc = value & ~3u;
      return true;
    case 0x342:
      mcause = value;
      return true;
    case 0x343:
      mtval = value;
      return true;
    case 0x344:
      return true;  // the machine bits of mip are set by devices
    case 0xb00:
    case 0xb80:
      cycle_offset = counter_offset(cycle, cycle_offset, value, number == 0xb80);
      return true;
    // The csr instruction retires after its write, so the new value does not count it.
    case 0xb02:
    case 0xb82:
      instret_offset = counter_offset(instret + 1, instret_offset, value, number == 0xb82);
      return true;
    default:
      return false;
  }
}

}  // namespace lento::riscv
