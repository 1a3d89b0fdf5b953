// Words by hand: the atomics that two threads use on them leave one reading.
#include "memory/mine/word_use.h"

#include <gtest/gtest.h>

namespace lento::memory {
namespace {

// The accesses of one thread to one word: loads, plain stores, and atomics of each kind.
struct Accesses {
  uint32_t offset = 0;
  uint64_t loads = 0;
  uint64_t stores = 0;
  uint64_t ups = 0;
  uint64_t downs = 0;
  uint64_t compares = 0;
  uint64_t exchanges = 0;
};

WordUse of(const std::vector<Accesses>& words) {
  Line line;
  for (const Accesses& word : words) {
    for (const uint32_t actor : {1u, 2u}) {
      Use use;
      use.offset = word.offset;
      use.actor = actor;
      use.reads = word.loads;
      use.atomics = word.ups + word.downs + word.compares + word.exchanges;
      use.writes = use.atomics + word.stores;
      use.updates = word.ups + word.downs;
      use.downs = word.downs;
      use.compares = word.compares;
      line.uses.push_back(use);
    }
  }
  return word_use({&line});
}

TEST(WordUse, AtomicsTellCountsFromLocks) {
  EXPECT_EQ(of({{.loads = 50, .stores = 50}}), WordUse::Plain);
  EXPECT_EQ(of({{.ups = 100}}), WordUse::Counter);
  EXPECT_EQ(of({{.ups = 100, .downs = 100}}), WordUse::ReferenceCount);
  EXPECT_EQ(of({{.ups = 100, .downs = 5}}), WordUse::Counter);
  EXPECT_EQ(of({{.ups = 100, .downs = 100, .exchanges = 1}}), WordUse::ReferenceCount);
  EXPECT_EQ(of({{.loads = 100, .compares = 100}}), WordUse::CompareSwap);
  EXPECT_EQ(of({{.stores = 100, .compares = 110}}), WordUse::Lock);
  EXPECT_EQ(of({{.stores = 100, .exchanges = 100}}), WordUse::Lock);
}

TEST(WordUse, ATicketHasAWordThatSaysWhoseTurnItIs) {
  EXPECT_EQ(of({{.ups = 100}, {.offset = 4, .loads = 300, .stores = 100}}), WordUse::Ticket);
  EXPECT_EQ(of({{.ups = 100}, {.offset = 4, .loads = 300}}), WordUse::Counter);
}

TEST(WordUse, ALevelIsRaisedBySomeAndLoweredByOthers) {
  Line line;
  for (const uint32_t actor : {1u, 2u}) {
    Use use;
    use.actor = actor;
    use.atomics = use.writes = use.updates = 100;
    use.downs = actor == 1 ? 100 : 0;
    line.uses.push_back(use);
  }
  EXPECT_EQ(word_use({&line}), WordUse::Level);
  line.uses[0].downs = 50;
  EXPECT_EQ(word_use({&line}), WordUse::ReferenceCount);
}

TEST(WordUse, APublishedWordHasOneWriter) {
  Line line;
  for (const uint32_t actor : {1u, 2u}) {
    Use use;
    use.actor = actor;
    use.reads = 100;
    use.writes = actor == 1 ? 100 : 0;
    line.uses.push_back(use);
  }
  EXPECT_EQ(word_use({&line}), WordUse::Published);
  for (const size_t users : {1u, 2u, 3u}) {
    line.users = users;
    EXPECT_EQ(is_position({&line}), users < 3);
  }
  line.uses[0].atomics = line.uses[0].updates = 100;  // by an addition that nobody else makes
  EXPECT_EQ(word_use({&line}), WordUse::Published);
  line.uses[0].atomics = line.uses[0].updates = 0;
  line.uses[1].writes = 1;
  EXPECT_EQ(word_use({&line}), WordUse::Plain);
}

// The two positions of a queue have a storer each, and the thread that set them up is none.
TEST(WordUse, APositionHasItsOwnStorerBesideAnother) {
  Line line;
  line.users = 2;
  for (const uint32_t actor : {1u, 2u, 3u}) {
    Use use;
    use.actor = actor;
    use.offset = 8 * (actor % 2);
    use.writes = 1000;
    line.uses.push_back(use);
  }
  line.uses[2].writes = 1;
  EXPECT_EQ(word_use({&line}), WordUse::Plain) << "no single thread publishes them";
  EXPECT_TRUE(is_position({&line}));
  line.uses[0].reads = line.uses[0].polls = 5000;
  EXPECT_TRUE(is_polled({&line}));
  line.uses[0].polls = 2000;
  EXPECT_FALSE(is_polled({&line}));
}

// Thieves poll the plain word; few of them take a position.
TEST(WordUse, APlainWordThatCostsMoreIsNoLoop) {
  Line line;
  for (const uint32_t actor : {1u, 2u}) {
    Use use;
    use.actor = actor;
    use.atomics = use.writes = use.compares = 20;
    use.excess = 100;
    line.uses.push_back(use);
    use.offset = 8;
    use.atomics = use.compares = 0;
    use.writes = 600;
    use.excess = 5000;
    line.uses.push_back(use);
  }
  EXPECT_EQ(word_use({&line}), WordUse::Plain);
  line.uses[1].excess = line.uses[3].excess = 50;
  EXPECT_EQ(word_use({&line}), WordUse::CompareSwap);
}

TEST(WordUse, AWordIsSeldomReadWhereOneLoadOfOthersComesToOverAHundredStores) {
  Line line;
  Use own;
  own.actor = 1;
  own.reads = own.writes = 30'000;
  Use other;
  other.actor = 2;
  other.reads = 118;
  line.uses = {own, other};
  EXPECT_TRUE(is_seldom_read({&line}));
  line.uses[1].reads = 300;
  EXPECT_FALSE(is_seldom_read({&line}));
  line.uses[1].reads = 118;
  line.uses[1].writes = 1;
  EXPECT_FALSE(is_seldom_read({&line})) << "two threads store";
}

TEST(WordUse, EveryUseButPlainHasARemedy) {
  for (const WordUse use :
       {WordUse::Lock,
        WordUse::CompareSwap,
        WordUse::Counter,
        WordUse::ReferenceCount,
        WordUse::Readers,
        WordUse::Level,
        WordUse::Published,
        WordUse::Ticket})
    EXPECT_FALSE(remedy(use).empty());
  EXPECT_EQ(name(WordUse::ReferenceCount), "a count of users");
}

}  // namespace
}  // namespace lento::memory
