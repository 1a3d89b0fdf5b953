#include "lab/memory/audit.h"

#include <gtest/gtest.h>

namespace lento::lab {
namespace {

TEST(MemoryAudit, KeepsItsPromisesOnAFewDraws) {
  const std::vector<Promise> promises = audit_memory({.healthy = 12, .detectable = 12, .seed = 5});
  ASSERT_EQ(promises.size(), 4U);
  for (const Promise& p : promises) {
    EXPECT_EQ(p.trials, 12U);
    EXPECT_TRUE(p.kept()) << p.what << ": " << p.hits;
  }
  EXPECT_EQ(promises[1].hits, 0U);
  EXPECT_GE(promises[2].hits, 10U);
}

TEST(MemoryAudit, CountsTheSameForTheSameSeed) {
  const MemoryAuditOptions options{.healthy = 3, .detectable = 3, .seed = 6};
  const std::vector<Promise> one = audit_memory(options);
  const std::vector<Promise> two = audit_memory(options);
  ASSERT_EQ(one.size(), two.size());
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].what, two[i].what);
    EXPECT_EQ(one[i].hits, two[i].hits);
  }
}

TEST(MemoryAudit, StopsWhenAskedAndCountsWhatItTried) {
  int asked = 0;
  base::Progress progress;
  progress.stop = [&asked] {
    return ++asked > 2;
  };
  const std::vector<Promise> promises = audit_memory({.healthy = 50, .detectable = 50, .seed = 7}, progress);
  ASSERT_EQ(promises.size(), 4U);
  EXPECT_EQ(promises[0].trials, 2U);
  EXPECT_EQ(promises[3].trials, 0U);
}

}  // namespace
}  // namespace lento::lab
