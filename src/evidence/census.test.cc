#include "evidence/census.h"

#include <gtest/gtest.h>

namespace lento::evidence {
namespace {

using Names = std::vector<std::string>;

TEST(Census, SpokenOfSeenOnceAndSeen) {
  const Names spoken{"rank3", "rank0", "rank1", "rank3"};
  const std::vector<Sighting> seen{{"rank0", 40}, {"rank1", 1}, {"rank1", 1}, {"ghost", 1}};
  const Census c = take_census(spoken, seen, {});
  EXPECT_EQ(c.unseen, Names{"rank3"});
  EXPECT_EQ(c.once, Names{"ghost"});
  EXPECT_FALSE(c.complete());
  EXPECT_TRUE(take_census({}, seen, {}).complete());
  EXPECT_TRUE(take_census({}, {}, {}).complete());
}

TEST(Census, AStreamThatStopsBeforeTheOthersHasLostItsEnd) {
  std::vector<Stream> streams{{"a", 1000, 20}, {"b", 1003, 20}, {"c", 990, 20}, {"d", 700, 20}};
  EXPECT_EQ(take_census({}, {}, streams).unfinished, Names{"d"});
  streams[3].closed = true;
  EXPECT_TRUE(take_census({}, {}, streams).complete());
  const std::vector<Stream> hostile{{"x", INT64_MIN, -5}, {"y", INT64_MAX, 0}, {"z", INT64_MAX, 0}};
  EXPECT_EQ(take_census({}, {}, hostile).unfinished, Names{"x"});
}

}  // namespace
}  // namespace lento::evidence
