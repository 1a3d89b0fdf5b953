// What a track has learned after a few looks, computed from the windows alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "evidence/sample.h"
#include "fleet/detect/test_peers.h"

namespace lento::fleet {
namespace {

using test::kWindow;
using test::options;
using test::Peers;

// Mean, then quantiles of 10, 25, 50, 75 and 90 %, of the last window.
std::array<double, LevelTrack::kFeatures> features(const std::vector<float>& samples) {
  std::vector<double> window(samples.end() - kWindow, samples.end());
  std::array<double, LevelTrack::kFeatures> out{};
  for (const double x : window)
    out[0] += x / kWindow;
  std::ranges::sort(window);
  const double shares[] = {0.1, 0.25, 0.5, 0.75, 0.9};
  for (size_t q = 0; q < 5; ++q) {
    const double at = shares[q] * (kWindow - 1);
    const auto low = size_t(at);
    out[q + 1] = window[low] + (at - double(low)) * (window[low + 1] - window[low]);
  }
  return out;
}

// What the first looks at six machines must give, computed from their windows alone.
struct FirstLooks {
  double variance = 0;  // of levels, mean of the looks
  double typical = 0;
  double largest = 0;
  double blocks = 0;
  std::vector<double> scores;  // of the last look

  void add(Peers& p, size_t look) {
    std::vector<double> means;
    for (size_t m = 0; m < 6; ++m) {
      const auto f = features(p.samples(m));
      means.push_back(f[0]);
      for (const double x : f)
        largest = std::max(largest, std::abs(x));
    }
    const double level = evidence::median(means);
    std::vector<double> size;
    for (double& x : means)
      size.push_back(std::abs(x -= level));
    const double mad = 1.4826 * evidence::median(size);
    double sum = 0;
    double inside = 0;
    for (const double x : size)
      if (x <= 4 * mad) {
        sum += x * x;
        ++inside;
      }
    const double now = std::max(mad, std::sqrt(sum / inside));
    typical += (std::abs(level) - typical) / double(look);
    const double share = 0.002 + 0.4 / 36;
    const double floor = std::max({share * std::abs(level), share * typical, 0.1 * share * largest});
    const double known = look == 1 ? now : std::sqrt(variance);
    const double sd = std::hypot(std::max(now / (1 + 1.2 / std::sqrt(6)), known), floor) * (1 + 6.0 / 5);
    scores.clear();
    for (const double x : size)
      scores.push_back(x / (6.5 * sd));
    variance += (now * now - variance) / double(look);
    blocks += (block_variance(p) - blocks) / double(look);
  }

 private:
  static double block_variance(Peers& p) {
    double sum = 0;
    for (size_t b = 0; b < 8; ++b) {
      std::vector<double> means(6);
      for (size_t m = 0; m < 6; ++m) {
        const std::vector<float>& s = p.samples(m);
        for (size_t i = 0; i < 8; ++i)
          means[m] += s[s.size() - kWindow + 8 * b + i] / 8;
      }
      const double middle = evidence::median(means);
      for (const double x : means)
        sum += (x - middle) * (x - middle) / 8 / 6;
    }
    return sum;
  }
};

TEST(LevelTrack, TheFirstLooksAreTheClosedForm) {
  Peers p(6, options(), 5);
  FirstLooks expected;
  p.go_on(kWindow - 8, 100, 3);
  for (size_t look = 1; look <= 3; ++look) {
    ASSERT_TRUE(p.live(1, look == 2 ? 130 : 100, look == 2 ? 9 : 3));
    expected.add(p, look);
    for (size_t m = 0; m < 6; ++m)
      EXPECT_NEAR(p.judged[m].score, expected.scores[m], 1e-4) << look << " " << m;
    const std::vector<double> s = p.track.shared_state();
    EXPECT_EQ(s[0], double(look));
    EXPECT_NEAR(s[1], expected.variance, 1e-3 * expected.variance);
    EXPECT_EQ(s[3], double(look));
    EXPECT_NEAR(s[5], expected.typical, 1e-3);
    EXPECT_NEAR(s[6], expected.largest, 1e-3);
    EXPECT_NEAR(s[7], expected.blocks, 1e-3 * expected.blocks);
    EXPECT_EQ(s[8], double(look));
  }
}

// The scatter of deviations, and weights that solve it with its ridge for ones, none negative.
TEST(LevelTrack, WeightsSolveTheScatter) {
  constexpr size_t k = LevelTrack::kFeatures;
  Peers p(32, options(), 3);
  p.go_on(kWindow, 100, 3);
  p.look();
  std::vector<std::array<double, k>> seen;
  for (size_t m = 0; m < 32; ++m)
    seen.push_back(features(p.samples(m)));
  std::vector<double> size;
  for (size_t f = 0; f < k; ++f) {
    std::vector<double> column;
    for (const auto& one : seen)
      column.push_back(one[f]);
    const double middle = evidence::median(column);
    for (auto& one : seen)
      one[f] -= middle;
  }
  for (const auto& one : seen)
    size.push_back(std::abs(one[0]));
  const double limit = 4 * 1.4826 * evidence::median(size);
  const std::vector<double> s = p.track.shared_state();
  std::array<std::array<double, k + 1>, k> c{};
  double n = 0;
  for (const auto& one : seen)
    n += std::abs(one[0]) <= limit;
  for (size_t i = 0; i < k; ++i) {
    for (size_t j = 0; j < k; ++j) {
      for (const auto& one : seen)
        c[i][j] += std::abs(one[0]) <= limit ? one[i] * one[j] / n : 0;
      EXPECT_NEAR(s[11 + i * k + j], c[i][j], 1e-3 * std::abs(c[i][j]) + 1e-5);
    }
  }
  for (size_t i = 0; i < k; ++i) {
    c[i][k] = 1;
    c[i][i] += 0.05 * s[11 + i * k + i] + 0.02 * s[11];
  }
  for (size_t i = 0; i < k; ++i) {  // Gauss and Jordan
    for (size_t row = 0; row < k; ++row) {
      const double times = row == i ? 0 : c[row][i] / c[i][i];
      for (size_t j = 0; j <= k; ++j)
        c[row][j] -= times * c[i][j];
    }
  }
  double sum = 0;
  for (size_t i = 0; i < k; ++i)
    sum += std::max(0.0, c[i][k] / c[i][i]);
  for (size_t i = 0; i < k; ++i)
    EXPECT_NEAR(s[11 + k * k + i], std::max(0.0, c[i][k] / c[i][i]) / sum, 0.01) << i;
}

// What is normal for a machine enters after five spacings, one entry a spacing, as the mean of what it
// showed.
TEST(LevelTrack, BaselinesAreTheMeanOfWhatIsAHorizonOld) {
  Peers p(8, options(), 7);
  const auto offset = [](size_t m, size_t) {
    return m == 3 ? 1.0 : 0.0;
  };
  p.go_on(kWindow, 100, 0.5, offset);
  const size_t spacing = 64 / 8 / 4;
  for (size_t look = 1; look <= 20; ++look) {
    ASSERT_TRUE(p.live(1, 100, 0.5, offset));
    const size_t entered = look / spacing;
    const std::vector<double> own = p.track.own_state(3);
    EXPECT_EQ(own[LevelTrack::kFeatures], double(entered > 5 ? entered - 5 : 0)) << look;
    if (entered > 5) {
      EXPECT_NEAR(own[0], 1, 0.3);
    }
    EXPECT_EQ(p.track.shared_state()[10], double(entered > 5 ? entered - 5 : 0));
  }
}

}  // namespace
}  // namespace lento::fleet
