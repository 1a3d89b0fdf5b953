#include "memory/record/private_cache.h"

#include <gtest/gtest.h>

#include <list>
#include <map>

#include "base/rng.h"

namespace lento::memory {
namespace {

using Level = PrivateCache::Level;

// Least recently used, as plainly as it can be written.
class Plain {
 public:
  Plain(uint64_t sets, size_t ways)
      : sets_(sets),
        ways_(ways) {
  }
  bool hit(uint64_t line) {
    auto& set = kept_[line % sets_];
    const auto at = std::ranges::find(set, line);
    if (at == set.end())
      return false;
    set.splice(set.begin(), set, at);
    return true;
  }
  uint64_t fill(uint64_t line) {
    auto& set = kept_[line % sets_];
    set.push_front(line);
    if (set.size() <= ways_)
      return Tags::kNone;
    const uint64_t gone = set.back();
    set.pop_back();
    return gone;
  }
  void drop(uint64_t line) {
    kept_[line % sets_].remove(line);
  }

 private:
  uint64_t sets_;
  size_t ways_;
  std::map<uint64_t, std::list<uint64_t>> kept_;
};

TEST(Tags, KeepWhatAPlainListKeeps) {
  base::Rng rng(3, "tags");
  Tags tags({2048, 4}, 64);  // 8 sets
  Plain plain(8, 4);
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t line = rng.below(60);
    if (rng.below(10) == 0) {
      tags.drop(line);
      plain.drop(line);
      continue;
    }
    const bool hit = plain.hit(line);
    ASSERT_EQ(tags.hit(line), hit);
    if (!hit) {
      ASSERT_EQ(tags.fill(line), plain.fill(line)) << i;
    }
  }
}

TEST(PrivateCache, TheSecondLevelHoldsWhatTheFirstLost) {
  PrivateCache cache({128, 1}, {512, 4}, 64);  // 2 sets of 1; 2 sets of 4
  const auto use = [&](uint64_t line) {
    const Level level = cache.find(line);
    if (level != Level::First)
      cache.take(line, level);
    return level;
  };
  EXPECT_EQ(use(0), Level::Lost);
  EXPECT_EQ(use(2), Level::Lost);
  EXPECT_EQ(use(0), Level::Second);
  EXPECT_EQ(use(0), Level::First);
  EXPECT_EQ(use(1), Level::Lost);  // another set
  EXPECT_EQ(use(0), Level::First);
}

TEST(PrivateCache, WhatLeavesTheSecondLevelLeavesTheFirst) {
  PrivateCache cache({512, 8}, {128, 2}, 64);  // one set of 8 over one of 2
  for (const uint64_t line : {1, 2})
    EXPECT_EQ(cache.take(line, cache.find(line)), Tags::kNone);
  EXPECT_EQ(cache.take(3, cache.find(3)), 1U);
  EXPECT_EQ(cache.find(1), Level::Lost);
  EXPECT_EQ(cache.find(2), Level::First);
}

TEST(PrivateCache, NeighboursOfWhatWasMissedAreAStream) {
  PrivateCache cache({512, 1}, {1024, 1}, 64);
  EXPECT_FALSE(cache.streams(100));
  EXPECT_TRUE(cache.streams(101));
  EXPECT_TRUE(cache.streams(99));
  EXPECT_FALSE(cache.streams(200));
  EXPECT_FALSE(cache.streams(0));
  for (uint64_t i = 0; i < 16; ++i)
    cache.streams(1000 + 10 * i);
  EXPECT_FALSE(cache.streams(201));  // long ago
}

}  // namespace
}  // namespace lento::memory
