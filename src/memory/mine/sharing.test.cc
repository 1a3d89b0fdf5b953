// Lines by hand, each with the cause that its bytes and threads leave no doubt about.
#include "memory/mine/sharing.h"

#include <gtest/gtest.h>

namespace lento::memory {
namespace {

Use use(
    uint32_t offset,
    uint32_t size,
    uint32_t actor,
    uint64_t reads,
    uint64_t writes,
    uint64_t atomics = 0) {
  Use u;
  u.offset = offset;
  u.size = size;
  u.actor = actor;
  u.cpu = uint16_t(actor);
  u.reads = reads;
  u.writes = writes;
  u.atomics = atomics;
  u.pc = 0x1000;
  return u;
}

Line judged(std::vector<Use> uses) {
  Line line;
  line.uses = std::move(uses);
  judge(line);
  return line;
}

TEST(Sharing, WordsOfTheirOwnShareOnlyTheLine) {
  const Line line = judged({use(0, 4, 1, 50, 50), use(4, 4, 2, 50, 50), use(8, 4, 3, 50, 50)});
  EXPECT_EQ(line.cause, Cause::FalseSharing);
  EXPECT_EQ(line.overlap, 0);
  EXPECT_EQ(line.actors, 3u);
}

// The store covers bytes 0 to 7: the load at 4 reads what it wrote.
TEST(Sharing, RangesAreComparedNotOffsets) {
  EXPECT_EQ(judged({use(0, 8, 1, 0, 100), use(4, 4, 2, 100, 0)}).cause, Cause::TrueSharing);
  EXPECT_EQ(judged({use(0, 4, 1, 0, 100), use(4, 4, 2, 100, 0)}).cause, Cause::FalseSharing);
}

TEST(Sharing, OneUsedWordIsNeverFalseSharing) {
  // One thread makes 99 % of the accesses; padding would change nothing.
  const Line line = judged({use(0, 4, 1, 900, 90), use(0, 4, 2, 10, 0)});
  EXPECT_EQ(line.cause, Cause::TrueSharing);
  EXPECT_EQ(line.overlap, 1);
}

// Each of four threads had the whole line to itself for a while: no two accesses at a time, and no padding
// that would help, though of the pairs of accesses only one in eight touches the same word.
TEST(Sharing, AHandedOnLineIsTrueSharing) {
  std::vector<Use> uses;
  for (uint32_t word = 0; word < 8; ++word) {
    for (uint32_t actor = 0; actor < 4; ++actor)
      uses.push_back(use(word * 8, 8, actor, 50, 50));
  }
  const Line line = judged(uses);
  EXPECT_EQ(line.cause, Cause::TrueSharing);
  EXPECT_NEAR(line.overlap, 0.125, 0.01);
  EXPECT_EQ(line.kept, 1);
}

// One thread stores the words of a line, another loads them, as often as `fetched` for each store.
Line handed(uint64_t stores_each, uint64_t loads_each, int words, uint64_t fetched) {
  std::vector<Use> uses;
  for (int word = 0; word < words; ++word) {
    for (const uint32_t actor : {1U, 2U}) {
      uses.push_back(
          use(uint32_t(word) * 8, 8, actor, actor == 2 ? loads_each : 0, actor == 1 ? stores_each : 0));
      uses.back().slow = actor == 2 ? fetched : 0;
    }
  }
  return judged(uses);
}

TEST(Sharing, ABufferIsHandedFromWriterToReader) {
  EXPECT_EQ(handed(50, 50, 8, 10).cause, Cause::HandOver);
  EXPECT_EQ(handed(50, 50, 8, 10).one_way, 1);
  // Readers that fetch more often than there is something new are several, or wait for it.
  EXPECT_EQ(handed(50, 500, 8, 60).cause, Cause::TrueSharing);
  // One word is a signal: an index, a flag.
  EXPECT_EQ(handed(50, 50, 1, 10).cause, Cause::TrueSharing);
}

// Each of two threads stores a position in one line. The first waits in a loop that loads the other's, which
// costs no more than the stores that end its waits.
TEST(Sharing, WaitsForAPositionDoNotMakeItTheWaitersOwn) {
  std::vector<Use> uses = {
      use(0, 8, 1, 0, 300'000),
      use(0, 8, 2, 150, 0),
      use(8, 8, 1, 5'100'000, 0),
      use(8, 8, 2, 0, 300'000),
      use(8, 8, 3, 0, 1)};
  uses[2].polls = 4'850'000;
  const Line line = judged(uses);
  EXPECT_EQ(line.cause, Cause::FalseSharing);
  EXPECT_EQ(line.actors, 3u);
  EXPECT_EQ(line.users, 2u) << "the third only set it up";
  EXPECT_EQ(line.cpus.count(), 2u);
}

TEST(Sharing, WhatBothUpdateIsNotHandedOn) {
  std::vector<Use> uses;
  for (uint32_t word = 0; word < 8; ++word) {
    for (const uint32_t actor : {1U, 2U})
      uses.push_back(use(word * 8, 8, actor, 50, 50));
  }
  EXPECT_EQ(judged(uses).cause, Cause::TrueSharing);
  EXPECT_EQ(judged(uses).one_way, 0);
}

// Blocks that any of four threads fills and any other one empties.
TEST(Sharing, ManyMayHandOnToMany) {
  std::vector<Use> uses;
  for (uint32_t word = 0; word < 8; ++word) {
    for (uint32_t actor = 0; actor < 8; ++actor)
      uses.push_back(use(word * 8, 8, actor, actor < 4 ? 0 : 20, actor < 4 ? 20 : 0));
  }
  // 4 x 4 pairs go one way, 6 are of two writers.
  EXPECT_NEAR(judged(uses).one_way, 16.0 / 22, 1e-9);
  EXPECT_EQ(judged(uses).cause, Cause::HandOver);
}

// The lock word is a few of the accesses, and what they wait for is the lock.
TEST(Sharing, ALineIsALocksWhenTheLockCosts) {
  std::vector<Use> uses;
  for (const uint32_t actor : {1U, 2U}) {
    uses.push_back(use(0, 4, actor, 0, 20, 10));
    uses.push_back(use(8, 8, actor, 200, 10));
  }
  for (const size_t costly : {1U, 0U}) {
    for (size_t i = 0; i < uses.size(); ++i)
      uses[i].excess = i % 2 == costly ? 100 : 10;
    EXPECT_EQ(judged(uses).cause == Cause::Lock, costly == 0);
  }
}

TEST(Sharing, WordsUnderOneLockMoveTogether) {
  std::vector<Use> uses = {use(0, 4, 1, 50, 50), use(4, 4, 2, 50, 50)};
  for (const uint64_t guarded : {100U, 50U}) {
    for (Use& u : uses)
      u.guarded = guarded;
    EXPECT_EQ(judged(uses).cause, guarded == 100 ? Cause::TrueSharing : Cause::FalseSharing);
  }
}

TEST(Sharing, ALineIsTakenOnceWithALoadAndAStore) {
  std::vector<Use> uses = {use(0, 8, 1, 50, 50), use(0, 8, 2, 50, 50)};
  uses[1].slow = 2;
  EXPECT_TRUE(is_taken_once(judged(uses)));
  uses[0].slow = 1;
  EXPECT_FALSE(is_taken_once(judged(uses)));
  uses[0].slow = 0;
  uses[1].slow = 3;
  EXPECT_FALSE(is_taken_once(judged(uses)));
}

// A count that all change beside values that all read: apart, most pairs are gone.
TEST(Sharing, ACountBesideWhatIsReadIsFalseSharing) {
  const Line line = judged(
      {use(0, 8, 1, 0, 50),
       use(0, 8, 2, 0, 50),
       use(0, 8, 3, 0, 50),
       use(8, 8, 1, 500, 0),
       use(8, 8, 2, 500, 0),
       use(8, 8, 3, 500, 0)});
  EXPECT_EQ(line.cause, Cause::FalseSharing);
  EXPECT_LT(line.kept, 0.2);
}

TEST(Sharing, ReadOnlyAndPrivateLinesHaveNoCause) {
  EXPECT_EQ(judged({use(0, 4, 1, 100, 0), use(0, 4, 2, 100, 0)}).cause, Cause::None);
  EXPECT_EQ(judged({use(0, 4, 1, 100, 100), use(4, 4, 1, 100, 100)}).cause, Cause::None);
  // Initialised once, read by all.
  EXPECT_EQ(judged({use(0, 4, 1, 0, 1), use(0, 4, 2, 500, 0), use(0, 4, 3, 500, 0)}).cause, Cause::None);
}

// One write in a hundred accesses takes the line from all; fewer are not fought over.
TEST(Sharing, FewWritesAreNotFoughtOver) {
  EXPECT_EQ(judged({use(0, 4, 1, 0, 7), use(0, 4, 2, 993, 0)}).cause, Cause::None);
  EXPECT_EQ(judged({use(0, 4, 1, 0, 15), use(0, 4, 2, 985, 0)}).cause, Cause::TrueSharing);
}

TEST(Sharing, LocksAreTakenByAtomicsAndGivenBack) {
  std::vector<Use> uses = {use(0, 4, 1, 0, 200, 100), use(0, 4, 2, 0, 200, 100)};
  EXPECT_EQ(judged(uses).cause, Cause::Lock);
  // Data beside the lock word does not hide it while the word leads.
  uses.push_back(use(8, 4, 1, 50, 50));
  EXPECT_EQ(judged(uses).cause, Cause::Lock);
}

TEST(Sharing, ACounterOfOneInstructionIsNoLock) {
  EXPECT_EQ(judged({use(0, 4, 1, 0, 100, 100), use(0, 4, 2, 0, 100, 100)}).cause, Cause::TrueSharing);
  std::vector<Use> taken = {use(0, 4, 1, 0, 100, 100), use(0, 4, 2, 0, 100, 100)};
  taken[0].several_pcs = true;
  EXPECT_EQ(judged(taken).cause, Cause::Lock);
  // Known to add: a counter, wherever in the program it is added to.
  for (Use& u : taken)
    u.updates = u.atomics;
  EXPECT_EQ(judged(taken).cause, Cause::TrueSharing);
}

// Loads that another cache answered tell of writers that were not sampled.
TEST(Sharing, ModifiedLinesOfOtherCachesStandForStores) {
  std::vector<Use> apart = {use(0, 1, 1, 100, 0), use(8, 1, 2, 100, 0)};
  for (Use& u : apart)
    u.peers = 40;
  EXPECT_EQ(judged(apart).cause, Cause::FalseSharing);
  std::vector<Use> together = {use(0, 1, 1, 100, 0), use(0, 1, 2, 100, 0)};
  for (Use& u : together)
    u.peers = 40;
  EXPECT_EQ(judged(together).cause, Cause::TrueSharing);
}

TEST(Sharing, AnyNumberOfThreads) {
  std::vector<Use> uses;
  for (uint32_t t = 0; t < 256; ++t)
    uses.push_back(use(0, 4, t, 3, 3));
  const Line line = judged(uses);
  EXPECT_EQ(line.cause, Cause::TrueSharing);
  EXPECT_EQ(line.cpus.count(), 256);
  EXPECT_EQ(line.cpus.text(), "0-255");
}

// Of one place: the shorter access first, then the earlier thread.
TEST(Sharing, UsesOfALineStandInTheirOrder) {
  HotBlock block;
  for (const auto& [actor, size] : {std::pair{3u, 4u}, std::pair{1u, 8u}, std::pair{2u, 4u}})
    block.uses[HotBlock::use_key(actor, 0, size)] = use(0, size, actor, 10, 10);
  const std::vector<Line> lines = lines_of(block, 64);
  ASSERT_EQ(lines.size(), 1u);
  ASSERT_EQ(lines[0].uses.size(), 3u);
  EXPECT_EQ(lines[0].uses[0].actor, 2u);
  EXPECT_EQ(lines[0].uses[1].actor, 3u);
  EXPECT_EQ(lines[0].uses[2].size, 8u);
}

TEST(Sharing, ALineSumsItsUses) {
  const Line line = judged({use(0, 4, 1, 5, 70, 60), use(8, 4, 2, 3, 20, 11)});
  EXPECT_EQ(line.accesses, 98u);
  EXPECT_EQ(line.writes, 90u);
  EXPECT_EQ(line.atomics, 71u);
  EXPECT_EQ(line.cpus.text(), "1-2");
}

TEST(Sharing, ABlockIsCutIntoLines) {
  HotBlock block;
  block.key.block = 10;
  for (const uint32_t t : {0u, 1u})
    block.uses[HotBlock::use_key(t, 64 * t, 4)] = use(64 * t, 4, t, 10, 10);
  EXPECT_EQ(lines_of(block, 64).size(), 2u);
  EXPECT_EQ(lines_of(block, 64)[1].address, 10u * 128 + 64);
  EXPECT_EQ(lines_of(block, 64)[1].uses.at(0).offset, 0u);  // from the line's first byte
  EXPECT_EQ(lines_of(block, 128)[0].uses.at(1).offset, 64u);
  EXPECT_EQ(lines_of(block, 64)[0].cause, Cause::None);
  ASSERT_EQ(lines_of(block, 128).size(), 1u);
  EXPECT_EQ(lines_of(block, 128)[0].cause, Cause::FalseSharing);
}

}  // namespace
}  // namespace lento::memory
