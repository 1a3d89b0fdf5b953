#include "riscv/hart.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace lento::riscv {
namespace {

constexpr uint32_t kMie = 1u << 3;
constexpr uint32_t kMpie = 1u << 7;

uint32_t read(const Hart& hart, uint32_t number, uint64_t cycle = 0) {
  uint32_t value = 0xdeadbeef;
  EXPECT_TRUE(hart.read_csr(number, cycle, value)) << number;
  return value;
}

TEST(HartTrap, SavesWhereItCameFromAndGoesToTheHandler) {
  Hart hart;
  hart.pc = 0x1234;
  hart.mtvec = 0x8000;
  hart.mstatus |= kMie;
  hart.trap(kIllegalInstruction, 0xabc);
  EXPECT_EQ(hart.pc, 0x8000u);
  EXPECT_EQ(hart.mepc, 0x1234u);
  EXPECT_EQ(hart.mcause, 2u);
  EXPECT_EQ(hart.mtval, 0xabcu);
  EXPECT_FALSE(hart.mstatus & kMie);
  EXPECT_TRUE(hart.mstatus & kMpie);
}

TEST(HartTrap, RememberedInterruptStateComesBack) {
  for (const bool enabled : {false, true}) {
    Hart hart;
    hart.pc = 0x40;
    hart.mstatus |= enabled ? kMie : 0;
    const Hart before = hart;
    hart.trap(kMachineEcall, 0);
    hart.mret();
    EXPECT_EQ(hart.pc, before.pc);
    EXPECT_EQ(bool(hart.mstatus & kMie), enabled);
    EXPECT_TRUE(hart.mstatus & kMpie);
  }
}

TEST(HartTrap, OnlyInterruptsAreVectored) {
  for (const uint32_t cause :
       {uint32_t{kSoftwareInterrupt}, uint32_t{kTimerInterrupt}, uint32_t{kExternalInterrupt}}) {
    Hart hart;
    hart.mtvec = 0x8001;
    hart.trap(cause, 0);
    EXPECT_EQ(hart.pc, 0x8000 + 4 * (cause & 0xff));
    hart.trap(kStoreFault, 0);
    EXPECT_EQ(hart.pc, 0x8000u);
    hart.mtvec = 0x8000;
    hart.trap(cause, 0);
    EXPECT_EQ(hart.pc, 0x8000u);
  }
}

TEST(HartInterrupt, NeedsAllThreeGatesOpen) {
  for (const auto& [bit, cause] :
       {std::pair{kSoftwareBit, kSoftwareInterrupt},
        std::pair{kTimerBit, kTimerInterrupt},
        std::pair{kExternalBit, kExternalInterrupt}}) {
    for (int gates = 0; gates < 8; ++gates) {
      Hart hart;
      hart.mstatus |= gates & 1 ? kMie : 0;
      hart.mie = gates & 2 ? bit : 0;
      hart.mip = gates & 4 ? bit : 0;
      EXPECT_EQ(hart.pending_interrupt(), gates == 7 ? uint32_t(cause) : 0u);
    }
  }
}

TEST(HartCsr, RegistersThatKeepWhatIsWritten) {
  for (const uint32_t number : {0x340u, 0x342u, 0x343u}) {
    Hart hart;
    EXPECT_TRUE(hart.write_csr(number, 0, 0xcafebabe));
    EXPECT_EQ(read(hart, number), 0xcafebabeu) << number;
  }
}

TEST(HartCsr, LegalizedRegisters) {
  Hart hart;
  hart.write_csr(0x300, 0, 0xffffffff);
  EXPECT_EQ(read(hart, 0x300), kMie | kMpie | 0x1800);
  hart.write_csr(0x300, 0, 0);
  EXPECT_EQ(read(hart, 0x300), 0x1800u);
  hart.write_csr(0x304, 0, 0xffffffff);
  EXPECT_EQ(read(hart, 0x304), kSoftwareBit | kTimerBit | kExternalBit);
  hart.write_csr(0x305, 0, 0xffffffff);
  EXPECT_EQ(read(hart, 0x305), 0xfffffffdu);
  hart.write_csr(0x341, 0, 0xffffffff);
  EXPECT_EQ(read(hart, 0x341), 0xfffffffcu);
  hart.mip = kTimerBit;
  hart.write_csr(0x344, 0, 0);
  EXPECT_EQ(read(hart, 0x344), kTimerBit);
  hart.id = 3;
  EXPECT_EQ(read(hart, 0xf14), 3u);
  // RV32 with I, M and A.
  EXPECT_EQ(read(hart, 0x301), 1u << 30 | 1u << ('I' - 'A') | 1u << ('M' - 'A') | 1u << 0);
}

TEST(HartCsr, WhatDoesNotExistOrIsReadOnly) {
  Hart hart;
  uint32_t value = 0;
  for (const uint32_t number : {0x000u, 0x302u, 0x7c0u, 0xb03u, 0xc03u, 0xfffu})
    EXPECT_FALSE(hart.read_csr(number, 0, value)) << number;
  for (const uint32_t number : {0xc00u, 0xc01u, 0xc02u, 0xc80u, 0xf11u, 0xf14u, 0x7c0u})
    EXPECT_FALSE(hart.write_csr(number, 0, 1)) << number;
}

TEST(HartCounters, HalvesOfSixtyFourBits) {
  Hart hart;
  hart.instret = 0x123456789abcdef0;
  const uint64_t cycle = 0xfedcba9876543210;
  for (const uint32_t base : {0xb00u, 0xc00u}) {
    EXPECT_EQ(read(hart, base, cycle), 0x76543210u);
    EXPECT_EQ(read(hart, base + 0x80, cycle), 0xfedcba98u);
    EXPECT_EQ(read(hart, base + 2, cycle), 0x9abcdef0u);
    EXPECT_EQ(read(hart, base + 0x82, cycle), 0x12345678u);
  }
  EXPECT_EQ(read(hart, 0xc01, cycle), 0x76543210u);
  EXPECT_EQ(read(hart, 0xc81, cycle), 0xfedcba98u);
}

TEST(HartCounters, AWrittenHalfCountsOnFromThere) {
  base::Rng rng(1, "counters");
  for (int i = 0; i < 100; ++i) {
    Hart hart;
    const uint64_t cycle = rng.next() >> 8;
    hart.instret = rng.next() >> 8;
    const auto low = uint32_t(rng.next());
    const auto high = uint32_t(rng.next());
    hart.write_csr(0xb00, cycle, low);
    hart.write_csr(0xb80, cycle, high);
    EXPECT_EQ(read(hart, 0xc00, cycle), low);
    EXPECT_EQ(read(hart, 0xc80, cycle), high);
    const uint64_t later = (uint64_t{high} << 32 | low) + 1000;
    EXPECT_EQ(read(hart, 0xc00, cycle + 1000), uint32_t(later));
    EXPECT_EQ(read(hart, 0xc80, cycle + 1000), uint32_t(later >> 32));
    EXPECT_EQ(read(hart, 0xc01, cycle), uint32_t(cycle)) << "time is not written";
    // The instruction that writes is not counted into what it wrote.
    hart.write_csr(0xb02, cycle, low);
    hart.write_csr(0xb82, cycle, high);
    ++hart.instret;
    EXPECT_EQ(read(hart, 0xc02, cycle), low);
    EXPECT_EQ(read(hart, 0xc82, cycle), high);
  }
}

}  // namespace
}  // namespace lento::riscv
