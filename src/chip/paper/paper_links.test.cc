#include "chip/paper/paper_links.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lento::chip {
namespace {

// Paths over four links, one of them ten times slower; times follow exactly.
TEST(LinkFit, FindsThePlantedBandwidths) {
  const double truth[] = {1.0 / 16, 1.0 / 16, 10.0 / 16, 1.0 / 16};
  std::vector<LinkEquation> equations;
  for (const std::vector<int>& path :
       std::vector<std::vector<int>>{{0}, {0, 1}, {1, 2}, {2, 3}, {0, 1, 2, 3}, {3}}) {
    LinkEquation e{path, 4096, 100, 100, 5};
    for (const int l : path)
      e.cycles += e.bytes * truth[l];
    equations.push_back(e);
  }
  const LinkFit fit = fit_links(equations, 5, 1.0 / 16, 2000);
  for (int l = 0; l < 4; ++l)
    EXPECT_NEAR(fit.cycles_per_byte[size_t(l)] / truth[l], 1, 0.02) << l;
  EXPECT_EQ(fit.cycles_per_byte[4], 0);  // no transfer crosses it
  for (size_t i = 1; i < fit.divergence.size(); ++i)
    EXPECT_LE(fit.divergence[i], fit.divergence[i - 1] + 1e-6) << "the likelihood fell";
}

// Gamma with coefficient of variation 1 is the exponential; 0.5 is Erlang of shape 4.
TEST(SlowProbability, ClosedForms) {
  for (const double x : {0.01, 0.5, 1.0, 3.0, 8.0}) {
    EXPECT_NEAR(slow_probability(x, 1, 1), std::exp(-x), 1e-12);
    const double y = 4 * x;
    EXPECT_NEAR(slow_probability(x, 1, 0.5), std::exp(-y) * (1 + y + y * y / 2 + y * y * y / 6), 1e-10);
  }
  EXPECT_GT(slow_probability(1.6, 16, 0.35), 0.9999);
}

}  // namespace
}  // namespace lento::chip
