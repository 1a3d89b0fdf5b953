#include "lab/tile/audit.h"

#include <gtest/gtest.h>

namespace lento::lab {
namespace {

TEST(TileAudit, KeepsItsPromisesOnAFewPrograms) {
  const std::vector<Promise> promises = audit_tile({.programs = 20, .seed = 3});
  ASSERT_EQ(promises.size(), 7U);
  EXPECT_EQ(promises[0].trials, 20U);
  for (const Promise& p : promises) {
    EXPECT_GT(p.trials, 8U) << p.what;
    EXPECT_TRUE(p.kept()) << p.what << ": " << p.hits << " of " << p.trials;
  }
}

TEST(TileAudit, DrawsTheSameProgramForTheSameSeed) {
  EXPECT_EQ(drawn_tile_program(7, 64), drawn_tile_program(7, 64));
  EXPECT_NE(drawn_tile_program(7, 64), drawn_tile_program(8, 64));
}

}  // namespace
}  // namespace lento::lab
