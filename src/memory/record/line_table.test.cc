#include "memory/record/line_table.h"

#include <gtest/gtest.h>

#include <set>

namespace lento::memory {
namespace {

TEST(LineState, HoldersAreToldApart) {
  LineState line;
  EXPECT_FALSE(line.held_by(3));
  line.hold(3);
  EXPECT_TRUE(line.held_by(3));
  EXPECT_FALSE(line.held_by(4));
  EXPECT_FALSE(line.held_by_others(3));
  EXPECT_TRUE(line.held_by_others(4));
  line.hold(200);
  EXPECT_TRUE(line.held_by_others(3));
  EXPECT_TRUE(line.held_by_others(200));
}

TEST(LineState, CoresBeyondShareABit) {
  LineState line;
  line.hold(LineState::kCores + 5);
  EXPECT_TRUE(line.held_by(5));
  EXPECT_FALSE(line.held_by_others(5));
}

TEST(LineTable, KeepsEveryLineWhileItGrows) {
  LineTable table;
  constexpr uint64_t kLines = 20'000;  // several times the first size
  for (uint64_t key = 0; key < kLines; ++key)
    table.of(key * 64).busy_until = key;
  for (uint64_t key = 0; key < kLines; ++key)
    ASSERT_EQ(table.of(key * 64).busy_until, key);
  std::set<uint64_t> seen;
  table.each([&](const LineState& line) {
    seen.insert(line.key);
  });
  EXPECT_EQ(seen.size(), kLines);
  EXPECT_EQ(*seen.rbegin(), (kLines - 1) * 64);
}

}  // namespace
}  // namespace lento::memory
