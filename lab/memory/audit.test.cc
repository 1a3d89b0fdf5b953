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

}  // namespace
}  // namespace lento::lab
