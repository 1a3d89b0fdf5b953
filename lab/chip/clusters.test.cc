#include "lab/chip/clusters.h"

#include <gtest/gtest.h>

namespace lento::chip {
namespace {

TEST(Dbscan, TellsClustersFromNoise) {
  const std::vector<int> c =
      dbscan({{0, 0}, {0.5, 0}, {1, 0}, {1.5, 0}, {9, 9}, {20, 0}, {20, 0.5}, {20, 1}}, 0.6, 3);
  EXPECT_EQ(c, (std::vector<int>{0, 0, 0, 0, -1, 1, 1, 1}));
  EXPECT_EQ(largest_cluster(c), 0);
  EXPECT_EQ(largest_cluster(dbscan({{0, 0}, {5, 0}}, 1, 2)), -1);
  EXPECT_TRUE(dbscan({}, 1, 2).empty());
}

}  // namespace
}  // namespace lento::chip
