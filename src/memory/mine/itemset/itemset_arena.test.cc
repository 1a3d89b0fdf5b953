// Scratch memory: pieces do not overlap, what is given back is used again, and nothing is hoarded.
#include "memory/mine/itemset/itemset_arena.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace lento::memory {
namespace {

TEST(Arena, PiecesAreAlignedAndApart) {
  Arena arena;
  std::vector<std::pair<uint64_t*, size_t>> pieces;
  for (size_t i = 1; i < 200; ++i) {
    uint64_t* piece = arena.take<uint64_t>(i);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(piece) % 32, 0u);
    for (size_t k = 0; k < i; ++k)
      piece[k] = i;
    pieces.emplace_back(piece, i);
  }
  for (const auto& [piece, size] : pieces) {
    for (size_t k = 0; k < size; ++k)
      ASSERT_EQ(piece[k], size);
  }
}

TEST(Arena, WhatIsReleasedIsTakenAgain) {
  Arena arena;
  arena.take<uint32_t>(5);
  const Arena::Mark mark = arena.mark();
  uint32_t* first = arena.take<uint32_t>(100);
  arena.take<uint32_t>(1 << 20);  // in a chunk of its own
  arena.release(mark);
  EXPECT_EQ(arena.take<uint32_t>(100), first);
}

TEST(Arena, TheLastPieceMayShrink) {
  Arena arena;
  uint64_t* long_one = arena.take<uint64_t>(1000);
  arena.shrink(long_one, 3);
  EXPECT_EQ(arena.take<uint64_t>(8), long_one + 4);  // 32 bytes are the least step
  uint64_t* other = arena.take<uint64_t>(1000);
  arena.shrink(other, 0);
  EXPECT_EQ(arena.take<uint64_t>(1), other);
}

// A large piece that shrinks leaves its chunk to those that follow.
TEST(Arena, ALargePieceGivesItsRoomBack) {
  Arena arena;
  uint64_t* large = arena.take<uint64_t>(1 << 18);
  arena.shrink(large, 16);
  const size_t held = arena.held();
  arena.take<uint64_t>(1 << 17);
  EXPECT_EQ(arena.held(), held);
}

// Pieces that grow little by little, each given back before the next: a few times the largest is held, not
// the sum of all.
TEST(Arena, LeavesNoTrailOfChunks) {
  Arena arena;
  arena.take<uint64_t>(16);
  const Arena::Mark mark = arena.mark();
  size_t largest = 0;
  for (size_t words = 20'000; words < 400'000; words += 1'000) {
    arena.take<uint64_t>(words);
    largest = words;
    arena.release(mark);
  }
  EXPECT_LT(arena.held(), 2 * largest);
}

// The same on several levels at once, as a search has them.
TEST(Arena, NorDoSeveralLevels) {
  Arena arena;
  size_t most = 0;
  for (size_t words = 5'000; words < 100'000; words += 1'000) {
    const Arena::Mark mark = arena.mark();
    size_t live = 0;
    for (int level = 0; level < 6; ++level) {
      uint64_t* piece = arena.take<uint64_t>(words >> level);
      piece[0] = words;
      live += words >> level;
    }
    most = std::max(most, live);
    arena.release(mark);
  }
  EXPECT_LT(arena.held(), 4 * most);
}

}  // namespace
}  // namespace lento::memory
