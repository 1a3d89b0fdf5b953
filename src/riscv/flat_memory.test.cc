#include "riscv/flat_memory.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"

namespace lento::riscv {
namespace {

TEST(FlatMemory, IsLittleEndianAtAnyAlignment) {
  FlatMemory memory;
  memory.map(0, 3 * kPageBytes);
  std::map<uint32_t, uint8_t> bytes;
  base::Rng rng(1, "memory");
  for (int i = 0; i < 5000; ++i) {
    const unsigned size = 1u << rng.below(3);
    // Often across the end of a page.
    const uint32_t at = rng.below(2) ? kPageBytes * uint32_t(1 + rng.below(2)) - uint32_t(rng.below(5))
                                     : uint32_t(rng.below(3 * kPageBytes - 4));
    const auto value = uint32_t(rng.next());
    ASSERT_TRUE(memory.write(at, size, value));
    for (unsigned k = 0; k < size; ++k)
      bytes[at + k] = uint8_t(value >> (8 * k));
    const uint32_t from = at - std::min<uint32_t>(at, uint32_t(rng.below(4)));
    uint32_t read = 0;
    ASSERT_TRUE(memory.read(from, 4, read));
    for (unsigned k = 0; k < 4; ++k)
      ASSERT_EQ(uint8_t(read >> (8 * k)), bytes.contains(from + k) ? bytes[from + k] : 0);
  }
}

TEST(FlatMemory, BeginsZeroAndReadsOnlyItsBytes) {
  FlatMemory memory;
  memory.map(0x1000, 0x2000);
  uint32_t value = 0xffffffff;
  EXPECT_TRUE(memory.read(0x1ff0, 2, value));
  EXPECT_EQ(value, 0u);
  memory.write(0x1000, 4, 0x11223344);
  EXPECT_TRUE(memory.read(0x1000, 1, value));
  EXPECT_EQ(value, 0x44u);
  EXPECT_TRUE(memory.read(0x1001, 2, value));
  EXPECT_EQ(value, 0x2233u);
}

TEST(FlatMemory, OutsideOfItsRangesNothingIs) {
  FlatMemory memory;
  memory.map(0x1000, 0x1001);  // rounded out to a page
  uint32_t value = 0;
  EXPECT_TRUE(memory.read(0x1ffc, 4, value));
  EXPECT_FALSE(memory.read(0x2000, 1, value));
  EXPECT_FALSE(memory.read(0xfff, 1, value));
  EXPECT_FALSE(memory.read(0x1ffe, 4, value));
  EXPECT_FALSE(memory.write(0x2000, 4, 1));
  EXPECT_EQ(memory.page(0x2000), nullptr);
  EXPECT_NE(memory.page(0x1000), nullptr);
}

TEST(FlatMemory, AWriteThatDoesNotFitChangesNothing) {
  FlatMemory memory;
  memory.map(0x1000, 0x2000);
  EXPECT_FALSE(memory.write(0x1ffe, 4, 0xffffffff));
  uint32_t value = 1;
  EXPECT_TRUE(memory.read(0x1ffe, 2, value));
  EXPECT_EQ(value, 0u);
}

TEST(FlatMemory, ReachesTheEndOfTheAddressSpace) {
  FlatMemory memory;
  memory.map(0xfffff000, uint64_t{1} << 32);
  uint32_t value = 0;
  EXPECT_TRUE(memory.write(0xfffffffc, 4, 7));
  EXPECT_TRUE(memory.read(0xfffffffc, 4, value));
  EXPECT_EQ(value, 7u);
  EXPECT_FALSE(memory.read(0xfffffffe, 4, value));
}

TEST(FlatMemory, CopiesOverPages) {
  FlatMemory memory;
  memory.map(0, 4 * kPageBytes);
  std::string bytes;
  for (int i = 0; i < 9000; ++i)
    bytes += char(i * 7);
  EXPECT_TRUE(memory.copy_in(100, bytes));
  for (uint32_t i = 0; i < bytes.size(); i += 13) {
    uint32_t value = 0;
    ASSERT_TRUE(memory.read(100 + i, 1, value));
    EXPECT_EQ(uint8_t(value), uint8_t(bytes[i]));
  }
  EXPECT_FALSE(memory.copy_in(3 * kPageBytes, bytes));
  EXPECT_TRUE(memory.copy_in(0xffffffff, ""));
}

}  // namespace
}  // namespace lento::riscv
