#include "lab/chip/clusters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/rng.h"

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

// Whether a chain of cores within the radius joins two points that are cores (the definition).
std::vector<std::vector<bool>> reachable(const std::vector<Point>& points, double radius, size_t least) {
  const size_t n = points.size();
  const auto near = [&](size_t a, size_t b) {
    return std::hypot(points[a][0] - points[b][0], points[a][1] - points[b][1]) <= radius;
  };
  std::vector<std::vector<bool>> joined(n, std::vector<bool>(n, false));
  for (size_t a = 0; a < n; ++a) {
    size_t around = 0;
    for (size_t b = 0; b < n; ++b)
      around += near(a, b);
    if (around < least)
      continue;
    for (size_t b = 0; b < n; ++b)
      joined[a][b] = near(a, b);
  }
  for (size_t via = 0; via < n; ++via) {
    for (size_t a = 0; a < n; ++a) {
      for (size_t b = 0; b < n; ++b) {
        if (joined[a][via] && joined[via][b])
          joined[a][b] = true;
      }
    }
  }
  return joined;
}

TEST(Dbscan, FollowsItsDefinition) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    base::Rng rng(seed, "dbscan");
    std::vector<Point> points(5 + rng.below(30));
    for (Point& p : points)
      p = {double(rng.below(8)) + 0.1 * rng.uniform(), double(rng.below(8)) + 0.1 * rng.uniform()};
    const size_t least = 2 + rng.below(3);
    const std::vector<int> clusters = dbscan(points, 1.2, least);
    const auto joined = reachable(points, 1.2, least);
    for (size_t a = 0; a < points.size(); ++a) {
      bool noise = true;
      for (size_t b = 0; b < points.size(); ++b) {
        noise = noise && !joined[b][a];
        if (joined[a][a] && joined[b][b]) {  // both are cores
          EXPECT_EQ(clusters[a] == clusters[b], bool(joined[a][b])) << seed;
        }
      }
      EXPECT_EQ(clusters[a] == -1, noise) << seed << " " << a;
    }
  }
}

TEST(Dbscan, ClustersAreNumberedFromZeroWithoutGaps) {
  base::Rng rng(3, "numbers");
  std::vector<Point> points(60);
  for (Point& p : points)
    p = {rng.uniform(0, 20), 0};
  const std::vector<int> clusters = dbscan(points, 0.4, 2);
  std::set<int> seen(clusters.begin(), clusters.end());
  seen.erase(-1);
  int next = 0;
  for (const int c : seen)
    EXPECT_EQ(c, next++);
}

TEST(LargestCluster, TheFirstOfEqualOnes) {
  EXPECT_EQ(largest_cluster({0, 1, 1, 0, -1}), 0);
  EXPECT_EQ(largest_cluster({0, 1, 1, -1, -1, -1}), 1);
  EXPECT_EQ(largest_cluster({}), -1);
}

}  // namespace
}  // namespace lento::chip
