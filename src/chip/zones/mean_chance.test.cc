#include "chip/zones/mean_chance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lento::chip {
namespace {

// Of 100 peers' records five take twice as long. The bound for 12 records of which k do is that of a binomial
// distribution: exp(-12 KL(k / 12, 0.05)), and never below its tail.
TEST(MeanChance, IsTheChernoffBoundOfABinomialDistribution) {
  std::vector<double> peers(95, 0.0);
  peers.resize(100, std::log(2.0));
  for (const int k : {2, 4, 6}) {
    std::vector<double> own(size_t(k), std::log(2.0));
    own.resize(12, 0.0);
    const double share = k / 12.0;
    const double divergence = share * std::log(share / 0.05) + (1 - share) * std::log((1 - share) / 0.95);
    EXPECT_NEAR(mean_chance(own, peers), std::exp(-12 * divergence), 1e-6);
  }
}

TEST(MeanChance, ShortAndImpossibleMeans) {
  const std::vector<double> peers{0, 0.01, 0.02, 0.03};
  EXPECT_EQ(mean_chance(std::vector<double>{0, 0}, peers), 1);
  EXPECT_EQ(mean_chance(std::vector<double>{0, 0.5}, peers), 0);
  EXPECT_EQ(mean_chance(std::vector<double>{0.5}, {}), 1);
}

}  // namespace
}  // namespace lento::chip
