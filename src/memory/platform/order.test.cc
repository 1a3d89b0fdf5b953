#include "memory/platform/order.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"

namespace lento::memory {
namespace {

TEST(Order, TheTwoThatActNextAreThoseOfASortedList) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    base::Rng rng(seed, "order");
    const uint64_t harts = 1 + rng.below(Platform::kMaxHarts);
    Order order;
    std::map<uint32_t, Cycles> model;
    Cycles now = 0;
    for (int i = 0; i < 2000; ++i) {
      const auto hart = uint32_t(rng.below(harts));
      if (rng.below(6) == 0) {
        order.remove(hart);
        model.erase(hart);
      } else {
        // Mostly the first one moves on; now and then another, also backwards.
        const bool first = rng.below(2) && order.first() != Order::kNone;
        const uint32_t moved = first ? uint32_t(order.first() & 63) : hart;
        now += rng.below(3);
        model[moved] = now + rng.below(20);
        order.place(moved, model[moved]);
      }
      std::vector<uint64_t> keys;
      for (const auto& [which, cycle] : model)
        keys.push_back(cycle << 6 | which);
      std::ranges::sort(keys);
      keys.resize(keys.size() + 2, Order::kNone);
      ASSERT_EQ(order.first(), keys[0]) << seed << " " << i;
      ASSERT_EQ(order.second(), keys[1]) << seed << " " << i;
      ASSERT_LT(model.size(), 65u);
    }
  }
}

TEST(Order, OfNobodyIsNone) {
  Order order;
  EXPECT_EQ(order.first(), Order::kNone);
  order.remove(3);
  order.place(3, 7);
  EXPECT_EQ(order.first(), Cycles{7} << 6 | 3);
  EXPECT_EQ(order.second(), Order::kNone);
  order.remove(3);
  EXPECT_EQ(order.first(), Order::kNone);
}

TEST(Order, OfEqualCyclesTheLowestHartIsFirst) {
  Order order;
  for (const uint32_t hart : {5u, 2u, 9u})
    order.place(hart, 100);
  EXPECT_EQ(order.first() & 63, 2u);
  EXPECT_EQ(order.second() & 63, 5u);
}

}  // namespace
}  // namespace lento::memory
