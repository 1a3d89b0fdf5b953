#include "chip/paper/failrank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/rng.h"

namespace lento::chip {
namespace {

RankGraph random_graph(uint64_t seed) {
  base::Rng rng(seed, "failrank");
  RankGraph g;
  for (uint64_t n = 2 + rng.below(60); n > 0; --n)
    g.start.push_back(rng.below(3) ? 0 : rng.uniform());
  g.start[0] = 0.5;
  for (uint64_t e = rng.below(200); e > 0; --e)
    g.edges.push_back(
        {rng.below(g.start.size()),
         rng.below(g.start.size()),
         rng.below(5) ? rng.exponential(1e6) : 0,
         rng.uniform()});
  return g;
}

// The promise of the header, on any graph, in every direction.
TEST(FailRank, ErrorShrinksByLambdaAndEndsWithinTwentyIterations) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    for (const Direction direction : {Direction::Printed, Direction::Reversed, Direction::Symmetric}) {
      RankOptions options;
      options.direction = direction;
      const RankResult r = fail_rank(random_graph(seed), options);
      for (size_t k = 0; k < r.errors.size(); ++k) {
        EXPECT_LE(r.errors[k], 2 * std::pow(options.lambda, double(k + 1)) + 1e-12);
        const double before = k > 0 ? r.errors[k - 1] : 2;
        EXPECT_LE(r.errors[k], options.lambda * before + 1e-12);
      }
      EXPECT_LE(r.iterations(), 20);
      EXPECT_LT(r.errors.back(), options.tolerance);
      EXPECT_LE(std::accumulate(r.nodes.begin(), r.nodes.end(), 0.0), 1 + 1e-9);
    }
  }
}

// One edge: s1 keeps (1 - lambda), s2 gets lambda of it; against the traffic it gets nothing.
TEST(FailRank, ClosedFormOfOneEdge) {
  const RankGraph g{{1, 0}, {{0, 1, 100, 0.5}}};
  RankOptions o;
  EXPECT_NEAR(fail_rank(g, o).nodes[0], 0.4, 1e-12);
  EXPECT_NEAR(fail_rank(g, o).nodes[1], 0.6 * 0.4, 1e-12);
  o.direction = Direction::Reversed;
  EXPECT_NEAR(fail_rank(g, o).nodes[1], 0, 1e-12);
}

// Two nodes that send to one another: s1 = 0.4 + 0.6 s2, s2 = 0.6 s1. As printed a link forgets its start.
TEST(FailRank, ClosedFormOfACircle) {
  const RankGraph g{{1, 0}, {{0, 1, 100, 0.5}, {1, 0, 7, 0}}};
  RankOptions o;
  o.tolerance = 1e-14;
  RankResult r = fail_rank(g, o);
  EXPECT_NEAR(r.nodes[0], 0.625, 1e-12);
  EXPECT_NEAR(r.nodes[1], 0.375, 1e-12);
  EXPECT_NEAR(r.edges[0], (0.1 + 0.3 * 0.625) / (1 - 0.6), 1e-9);
  o.restart = true;
  EXPECT_NEAR(fail_rank(g, o).edges[0], 0.1 + 0.3 * 0.625 + 0.6 * 0.5, 1e-9);
}

TEST(FailRank, NothingToRankEndsAtOnce) {
  const RankResult r = fail_rank({{0, 0}, {{0, 1, 1, 0}}});
  EXPECT_EQ(r.iterations(), 1);
  EXPECT_EQ(r.nodes, (std::vector<double>{0, 0}));
  EXPECT_TRUE(fail_rank({}).nodes.empty());
}

TEST(Softmax, SumsToOneAtAnyTemperature) {
  for (const double t : {0.0, 1.0, 200.0, 1e6}) {
    const std::vector<double> p = softmax({0.1, 0.2, 0.9}, t);
    EXPECT_NEAR(p[0] + p[1] + p[2], 1, 1e-12) << t;
    EXPECT_GE(p[2], p[1]);
  }
  EXPECT_NEAR(softmax({0, std::log(3.0)}, 1)[1], 0.75, 1e-12);
  EXPECT_TRUE(softmax({}, 1).empty());
}

}  // namespace
}  // namespace lento::chip
