#include "memory/platform/cache.h"

#include <gtest/gtest.h>

#include <list>
#include <map>

#include "base/rng.h"

namespace lento::memory {
namespace {

CacheShape shape(int sets, int ways) {
  CacheShape s;
  s.line_bytes = 32;
  s.ways = ways;
  s.bytes = 32 * ways * sets;
  return s;
}

// Lines by set, the most recent first.
class Model {
 public:
  Model(int sets, int ways)
      : sets_(uint32_t(sets)),
        ways_(size_t(ways)) {
  }
  bool hit(uint32_t line) {
    auto& set = lines_[line % sets_];
    const auto at = std::ranges::find(set, line);
    if (at == set.end())
      return false;
    set.splice(set.begin(), set, at);
    return true;
  }
  uint32_t fill(uint32_t line) {
    if (hit(line))
      return Cache::kNone;
    auto& set = lines_[line % sets_];
    set.push_front(line);
    if (set.size() <= ways_)
      return Cache::kNone;
    const uint32_t gone = set.back();
    set.pop_back();
    return gone;
  }
  void invalidate(uint32_t line) {
    lines_[line % sets_].remove(line);
  }

 private:
  uint32_t sets_;
  size_t ways_;
  std::map<uint32_t, std::list<uint32_t>> lines_;
};

TEST(Cache, DoesWhatAListOfRecentUsesWould) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    base::Rng rng(seed, "cache");
    const int sets = 1 << rng.below(3);
    const int ways = 1 << rng.below(4);
    Cache cache(shape(sets, ways));
    Model model(sets, ways);
    for (int i = 0; i < 2000; ++i) {
      const auto line = uint32_t(rng.below(uint64_t(3 * sets * ways)));
      switch (rng.below(5)) {
        case 0:
          cache.invalidate(line, 1, 0x100);
          model.invalidate(line);
          break;
        default:
          const bool here = cache.hit(line);
          ASSERT_EQ(here, model.hit(line)) << seed << " " << i;
          if (here) {
            ASSERT_TRUE(cache.newest(line));
          } else {
            ASSERT_EQ(cache.fill(line), model.fill(line)) << seed << " " << i;
          }
      }
    }
  }
}

TEST(Cache, RemembersWhoTookALineUntilItIsBack) {
  Cache cache(shape(4, 2));
  cache.fill(5);
  EXPECT_EQ(cache.lost(5), nullptr);
  cache.invalidate(5, 3, 0x80001000);
  EXPECT_FALSE(cache.hit(5));
  ASSERT_NE(cache.lost(5), nullptr);
  EXPECT_EQ(cache.lost(5)->culprit, 3);
  EXPECT_EQ(cache.lost(5)->culprit_pc, 0x80001000u);
  cache.fill(5);
  EXPECT_EQ(cache.lost(5), nullptr);
}

TEST(Cache, WhatWasNotThereIsNotLost) {
  Cache cache(shape(4, 2));
  cache.invalidate(5, 3, 0x100);
  EXPECT_EQ(cache.lost(5), nullptr);
}

TEST(Cache, AnInvalidWayIsFilledFirst) {
  Cache cache(shape(1, 4));
  for (uint32_t line = 0; line < 4; ++line)
    cache.fill(line);
  cache.invalidate(2, 1, 0);
  EXPECT_EQ(cache.fill(9), Cache::kNone);
  for (const uint32_t line : {0u, 1u, 3u, 9u})
    EXPECT_TRUE(cache.hit(line)) << line;
  EXPECT_EQ(cache.fill(10), 0u) << "the least recent of those that are there";
}

TEST(Cache, ClearedHoldsNothing) {
  Cache cache(shape(2, 2));
  for (uint32_t line = 0; line < 4; ++line)
    cache.fill(line);
  cache.clear();
  for (uint32_t line = 0; line < 4; ++line)
    EXPECT_FALSE(cache.hit(line));
}

}  // namespace
}  // namespace lento::memory
