// Eigenvalues by closed forms and by their definition; what whitening keeps and how it scales it.
#include "fleet/minder/pca.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"

namespace lento::fleet {
namespace {

std::vector<double> diagonal(const std::vector<double>& a, size_t n) {
  std::vector<double> out;
  for (size_t i = 0; i < n; ++i)
    out.push_back(a[i * n + i]);
  std::ranges::sort(out);
  return out;
}

TEST(Jacobi, OfTwoByTwoIsTheClosedForm) {
  std::vector<double> a{2, 1, 1, 2};
  std::vector<double> v;
  jacobi(a, 2, v);
  const auto values = diagonal(a, 2);
  EXPECT_NEAR(values[0], 1, 1e-12);
  EXPECT_NEAR(values[1], 3, 1e-12);
  EXPECT_NEAR(std::abs(v[0]), std::sqrt(0.5), 1e-12);
}

TEST(Jacobi, LeavesADiagonalAsItIs) {
  std::vector<double> a{5, 0, 0, 0, -2, 0, 0, 0, 7};
  std::vector<double> v;
  jacobi(a, 3, v);
  EXPECT_EQ(a, (std::vector<double>{5, 0, 0, 0, -2, 0, 0, 0, 7}));
  EXPECT_EQ(v, (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

TEST(Jacobi, VectorsSolveTheEquationAndAreOrthonormal) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    base::Rng rng(seed, "jacobi");
    const size_t n = 2 + rng.below(7);
    std::vector<double> a(n * n);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = i; j < n; ++j)
        a[i * n + j] = a[j * n + i] = rng.normal(0, 3);
    }
    std::vector<double> rotated = a;
    std::vector<double> v;
    jacobi(rotated, n, v);
    for (size_t c = 0; c < n; ++c) {
      for (size_t i = 0; i < n; ++i) {
        double left = 0;
        for (size_t j = 0; j < n; ++j)
          left += a[i * n + j] * v[j * n + c];
        EXPECT_NEAR(left, rotated[c * n + c] * v[i * n + c], 1e-6);
      }
      for (size_t d = 0; d < n; ++d) {
        double dot = 0;
        for (size_t i = 0; i < n; ++i)
          dot += v[i * n + c] * v[i * n + d];
        EXPECT_NEAR(dot, c == d, 1e-9);
      }
    }
  }
}

// Two features with known correlation: standardised they have variances 1 + r and 1 - r.
class Whitened : public ::testing::Test {
 protected:
  // Rows (1, 1), (1, 1 - d), and their opposites: mean zero.
  static std::vector<double> rows() {
    return {1, 1, 1, 0, -1, -1, -1, 0, 0, 1, 0, -1};
  }
  static double variance(const std::vector<float>& out, size_t component, size_t stride, size_t rows) {
    double sum = 0;
    double square = 0;
    for (size_t r = 0; r < rows; ++r) {
      const double x = out[component * stride + r];
      sum += x / double(rows);
      square += x * x / double(rows);
    }
    return square - sum * sum;
  }
};

TEST_F(Whitened, ComponentsHaveUnitVarianceButForTheirShrinkage) {
  std::vector<float> out;
  constexpr size_t kStride = 8;
  ASSERT_EQ(whiten({rows(), 6, 2}, 1, out, kStride), 2u);
  // Both features have variance 2/3 and covariance 1/3: correlation 1/2.
  for (const auto& [component, value] : {std::pair{0u, 1.5}, std::pair{1u, 0.5}}) {
    EXPECT_NEAR(variance(out, component, kStride, 6), value / (0.95 * value + 0.05), 1e-5);
  }
  double dot = 0;
  for (size_t r = 0; r < 6; ++r)
    dot += out[r] * out[kStride + r];
  EXPECT_NEAR(dot, 0, 1e-5);
}

TEST_F(Whitened, TheShareDecidesHowManyAreKept) {
  std::vector<float> out;
  EXPECT_EQ(whiten({rows(), 6, 2}, 0.74, out, 8), 1u);  // the first holds three quarters
  EXPECT_EQ(whiten({rows(), 6, 2}, 0.76, out, 8), 2u);
}

TEST_F(Whitened, ScaleAndOffsetOfAFeatureMeanNothing) {
  std::vector<float> before;
  std::vector<float> after;
  std::vector<double> changed = rows();
  for (size_t r = 0; r < 6; ++r) {
    changed[2 * r] = 1000 * changed[2 * r] + 77;
    changed[2 * r + 1] = 0.01 * changed[2 * r + 1] - 5;
  }
  ASSERT_EQ(whiten({rows(), 6, 2}, 1, before, 8), whiten({changed, 6, 2}, 1, after, 8));
  for (size_t c = 0; c < 2; ++c) {
    for (size_t r = 0; r < 6; ++r)
      EXPECT_NEAR(std::abs(before[8 * c + r]), std::abs(after[8 * c + r]), 1e-4);
  }
}

// Equal rows are at no distance from one another, whatever stood in the output before.
TEST_F(Whitened, EqualRowsAreAtOnePlace) {
  for (const double value : {0.0, 0.5, 4.1}) {
    std::vector<float> out(64);
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = float(i);
    const size_t components = whiten({std::vector<double>(12, value), 6, 2}, 0.95, out, 8);
    for (size_t c = 0; c < components; ++c) {
      for (size_t r = 0; r < 6; ++r)
        EXPECT_EQ(out[8 * c + r], out[8 * c]) << value;
    }
  }
}

}  // namespace
}  // namespace lento::fleet
