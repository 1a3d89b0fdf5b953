// Folding, hashing and packing of lines: what is packed comes out again, neighbours stay neighbours.
#include "lab/tile/prefetch_fields.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "base/rng.h"

namespace lento::tile {
namespace {

TEST(PrefetchFields, APayloadComesOutAsItWentIn) {
  base::Rng rng(1, "payload");
  for (int i = 0; i < 10'000; ++i) {
    Payload p;
    p.format = uint32_t(1 + rng.below(6));
    const uint32_t bits = kBits[p.format] * p.format;
    p.address = rng.below(uint64_t{1} << std::min(bits, 62u));
    p.confidence = uint32_t(rng.below(uint64_t{1} << 2 * p.format));
    // Format, addresses and confidences do not overlap in the word.
    ASSERT_LE(3 + bits + 2 * p.format, 64U);
    const Payload back = decode(encode(p));
    EXPECT_EQ(back.format, p.format);
    EXPECT_EQ(back.address, p.address);
    EXPECT_EQ(back.confidence, p.confidence);
  }
  EXPECT_EQ(decode(0).format, 0U);
}

// The narrowest format whose bits tell the destination from the head gives it back; the next narrower one
// would not.
TEST(PrefetchFields, ADestinationIsWidenedFromItsHead) {
  base::Rng rng(2, "widen");
  for (int i = 0; i < 10'000; ++i) {
    const auto head = uint32_t(rng.below(kLineMask + 1));
    const uint32_t line = (head ^ uint32_t(rng.below(uint64_t{1} << rng.below(27)))) & kLineMask;
    Payload p;
    p.format = format_for(head, line);
    p.address = line & ((uint64_t{1} << kBits[p.format]) - 1);
    EXPECT_EQ(widen(head, p), line) << p.format;
    if (p.format < 6) {
      EXPECT_NE(head >> kBits[p.format + 1], line >> kBits[p.format + 1]);
    }
  }
}

TEST(PrefetchFields, ShiftingDropsTheLowestDestination) {
  const uint32_t head = 0x2345678;
  Payload p;
  p.format = 3;
  const uint32_t lines[] = {head ^ 1, head ^ 0x3ff, head ^ 0x20000};
  for (uint32_t slot = 0; slot < 3; ++slot) {
    p.address |= uint64_t{lines[slot] & 0x3ffff} << 18 * slot;
    p.confidence |= (slot + 1) << 2 * slot;
  }
  for (uint32_t slot = 0; slot < 3; ++slot) {
    EXPECT_EQ(widen(head, p), lines[slot]);
    EXPECT_EQ(p.confidence & 3, slot + 1);
    shift(p);
  }
  EXPECT_EQ(p.address, 0U);
  EXPECT_EQ(p.confidence, 0U);
}

TEST(PrefetchFields, FoldingKeepsNeighboursAndAllBitsCount) {
  base::Rng rng(3, "fold");
  for (int i = 0; i < 1000; ++i) {
    const uint64_t line = rng.below(uint64_t{1} << 58) & ~uint64_t{0xff};
    EXPECT_LE(fold(line), kLineMask);
    for (const uint64_t next : {1, 17, 255})
      EXPECT_EQ(fold(line + next), fold(line) + next);
  }
  for (uint32_t bit = 0; bit < 58; ++bit)
    EXPECT_NE(fold(uint64_t{1} << bit), fold(0)) << bit;
  for (uint32_t line = 0; line < 1 << 20; line += 4097)
    EXPECT_EQ(fold(line), line);
}

// A set and a tag of the shadow cache tell 2^17 consecutive lines apart, those of the table 2^16.
TEST(PrefetchFields, HashesTellNeighboursApart) {
  std::set<uint32_t> shadow;
  for (uint32_t line = 0; line < 1 << 17; ++line) {
    shadow.insert(shadow_of(line));
    ASSERT_EQ(shadow_of(line) & 63, shadow_set(line));
  }
  EXPECT_EQ(shadow.size(), size_t{1} << 17);
  std::set<uint32_t> table;
  for (uint32_t line = 0; line < 1 << 16; ++line) {
    ASSERT_LT(table_set(line), 128U);
    ASSERT_LT(table_tag(line), 512U);
    table.insert(uint32_t{table_tag(line)} << 7 | table_set(line));
  }
  EXPECT_EQ(table.size(), size_t{1} << 16);
}

struct Way {
  uint16_t tag = 0;
  uint8_t rank = 0;
};

TEST(PrefetchFields, RanksStayAnOrderWhateverIsUsed) {
  std::array<Way, 8> row;
  for (uint8_t i = 0; i < 8; ++i)
    row[i].rank = i;
  base::Rng rng(4, "ranks");
  std::vector<int> order = {0, 1, 2, 3, 4, 5, 6, 7};  // the one used last first
  for (int i = 0; i < 1000; ++i) {
    const int used = int(rng.below(8));
    renew(row, used);
    std::erase(order, used);
    order.insert(order.begin(), used);
    for (size_t rank = 0; rank < 8; ++rank)
      ASSERT_EQ(row[size_t(order[rank])].rank, rank);
  }
}

TEST(PrefetchFields, WaysAreFoundByTheirTag) {
  std::array<Way, 8> row;
  for (auto& way : row)
    way.tag = 0xffff;  // no line has it
  EXPECT_EQ(find_way(row, 5), -1);
  row[6].tag = uint16_t(shadow_of(5) >> 6);
  EXPECT_EQ(find_way(row, 5), 6);
  row[2].tag = row[6].tag;
  EXPECT_EQ(find_way(row, 5), 2);
  struct {
    std::array<uint16_t, 16> tag = {};
  } table;
  table.tag.fill(0xffff);
  EXPECT_EQ(find_entry(table, 1000), -1);
  table.tag[9] = table_tag(1000);
  EXPECT_EQ(find_entry(table, 1000), int(table_set(1000) * 16) + 9);
}

TEST(PrefetchFields, AGapHoldsTheLongestStallThatFits) {
  EXPECT_EQ(stall_in(0), 0u);
  EXPECT_EQ(stall_in(15), 0u);
  EXPECT_EQ(stall_in(16), 15u);
  EXPECT_EQ(stall_in(35), 15u);
  EXPECT_EQ(stall_in(36), 35u);
  EXPECT_EQ(stall_in(200), 35u);
  EXPECT_EQ(stall_in(210), 200u);
  EXPECT_EQ(stall_in(100'000), 200u);
}

TEST(PrefetchFields, LanesAreSixteenBitsOfAWord) {
  const uint64_t word = 0x4444'3333'2222'1111;
  for (uint32_t i = 0; i < 8; ++i)
    EXPECT_EQ(lane_of(word, i), 0x1111 * (i % 4 + 1));
}

}  // namespace
}  // namespace lento::tile
