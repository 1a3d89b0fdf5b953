// The model and the faithful mode: gradients against differences, kernels against the reference, planted
// truth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.h"
#include "base/rng.h"
#include "fleet/minder/kernel.h"
#include "fleet/minder/lstm_vae.h"
#include "fleet/minder/minder.h"
#include "fleet/minder/pca.h"

namespace lento::fleet {
namespace {

std::vector<double> random_vector(size_t n, const char* name, double scale) {
  base::Rng rng(5, name);
  std::vector<double> v(n);
  for (double& x : v)
    x = scale * rng.normal();
  return v;
}

TEST(LstmVae, EveryGradientAgreesWithCentralDifferences) {
  auto p = random_vector(vae::kParameters, "p", 0.4);
  const auto x = random_vector(vae::kWindow, "x", 0.5);
  const auto eps = random_vector(vae::kLatent, "e", 1);
  const auto r = reference_vae(p, x.data(), eps.data(), 0.7, 0.3);
  for (size_t i = 0; i < p.size(); ++i) {
    const double at = p[i];
    const double h = 1e-5;
    p[i] = at + h;
    const double up = reference_vae(p, x.data(), eps.data(), 0.7, 0.3).loss;
    p[i] = at - h;
    const double down = reference_vae(p, x.data(), eps.data(), 0.7, 0.3).loss;
    p[i] = at;
    EXPECT_NEAR((up - down) / (2 * h), r.gradient[i], 1e-7 + 1e-6 * std::abs(r.gradient[i]))
        << "parameter " << i;
  }
}

TEST(LstmVae, EveryKernelComputesWhatTheReferenceComputes) {
  const auto p = random_vector(vae::kParameters, "p", 0.4);
  const std::vector<float> pf(p.begin(), p.end());
  for (const Kernel* k : supported_kernels()) {
    const size_t n = k->lanes;
    const auto x = random_vector(vae::kWindow * n, "xx", 0.5);
    const auto eps = random_vector(vae::kLatent * n, "ee", 1);
    const std::vector<float> xf(x.begin(), x.end());
    const std::vector<float> ef(eps.begin(), eps.end());
    std::vector<float> grad(vae::kParameters, 0);
    k->train(pf.data(), xf.data(), ef.data(), 0.7f, 0.3f, grad.data());
    std::vector<double> expected(vae::kParameters, 0);
    std::vector<float> out(vae::kWindow * n);
    std::vector<float> latent(vae::kLatent * n);
    k->embed(pf.data(), xf.data(), n, n - 1, false, out.data(), n);  // n - 1: the tail path
    k->embed(pf.data(), xf.data(), n, n, true, latent.data(), n);
    for (size_t l = 0; l < n; ++l) {
      double one[vae::kWindow];
      double draw[vae::kLatent];
      for (size_t t = 0; t < vae::kWindow; ++t)
        one[t] = x[t * n + l];
      for (size_t t = 0; t < vae::kLatent; ++t)
        draw[t] = eps[t * n + l];
      const auto r = reference_vae(p, one, draw, 0.7, 0.3);
      for (size_t i = 0; i < expected.size(); ++i)
        expected[i] += r.gradient[i];
      const auto mean = reference_vae(p, one, nullptr, 0.7, 0.3);
      for (size_t t = 0; t < vae::kWindow; ++t) {
        if (l + 1 < n) {
          EXPECT_NEAR(out[t * n + l], mean.reconstruction[t], 1e-5) << k->name;
        }
        EXPECT_NEAR(latent[t * n + l], mean.latent[t], 1e-5) << k->name;
      }
    }
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(grad[i], expected[i], 2e-4 * (1 + std::abs(expected[i]))) << k->name;
  }
}

TEST(LstmVae, KernelsSumDistancesLikeBruteForce) {
  const size_t machines = 37;
  const size_t stride = 48;
  const auto values = random_vector(8 * stride, "d", 1);
  const std::vector<float> e(values.begin(), values.end());
  std::vector<size_t> all;
  for (size_t m = 0; m < machines; ++m)
    all.push_back(m);
  for (const Kernel* k : supported_kernels()) {
    for (const Distance kind : {Distance::Euclid, Distance::Manhattan, Distance::Chebyshev}) {
      std::vector<float> sums(machines);
      k->distances(e.data(), stride, 8, machines, all.data(), machines, kind, sums.data());
      for (size_t i = 0; i < machines; ++i) {
        double expected = 0;
        for (size_t j = 0; j < machines; ++j) {
          double square = 0;
          double sum = 0;
          double top = 0;
          for (size_t d = 0; d < 8; ++d) {
            const double diff = std::abs(values[d * stride + i] - values[d * stride + j]);
            square += diff * diff, sum += diff, top = std::max(top, diff);
          }
          expected += kind == Distance::Euclid ? std::sqrt(square) : kind == Distance::Manhattan ? sum : top;
        }
        EXPECT_NEAR(sums[i], expected, 1e-3) << k->name;
      }
    }
  }
}

TEST(Kernels, SortEveryLaneAndSumRowsWithoutMissingValues) {
  base::Rng rng(6, "sort");
  for (const Kernel* k : supported_kernels()) {
    for (const size_t n : {1, 2, 7, 64, 140, 255}) {
      std::vector<float> x(n * k->lanes);
      for (float& v : x)
        v = float(rng.below(n));  // with ties
      std::vector<float> sums(k->lanes);
      std::vector<float> counts(k->lanes);
      std::vector<float> expected = x;
      expected[0] = std::numeric_limits<float>::quiet_NaN();
      k->sum_rows(expected.data(), 0, n, sums.data(), counts.data());
      k->sort(x.data(), n);
      for (size_t l = 0; l < k->lanes; ++l) {
        std::vector<float> column;
        std::vector<float> sorted;
        double sum = 0;
        for (size_t i = 0; i < n; ++i) {
          sorted.push_back(x[i * k->lanes + l]);
          if (i == 0 && l == 0)
            continue;
          column.push_back(expected[i * k->lanes + l]);
          sum += column.back();
        }
        EXPECT_FLOAT_EQ(sums[l], float(sum)) << k->name << n;
        EXPECT_EQ(counts[l], float(column.size()));
        EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end())) << k->name << n;
        if (l == 0)
          continue;
        std::ranges::sort(column);
        EXPECT_EQ(sorted, column) << k->name << n;
      }
    }
  }
}

MetricSeries waves(size_t machines, size_t steps, double noise, uint64_t seed) {
  MetricSeries s;
  s.steps = steps;
  s.metrics = {"m"};
  s.labels.resize(machines);
  base::Rng rng(seed, "waves");
  for (size_t m = 0; m < machines; ++m)
    s.machines.push_back("n" + std::to_string(m));
  for (size_t t = 0; t < steps; ++t) {
    const double wave = 0.5 + 0.35 * std::sin(2 * std::numbers::pi * double(t) / 23);
    for (size_t m = 0; m < machines; ++m)
      s.values.push_back(float(wave + rng.normal(0, noise)));
  }
  return s;
}

TrainOptions quick() {
  TrainOptions o;
  o.windows = 20'000;
  o.epochs = 40;
  return o;
}

// The paper's sizes: windows of 8, 4 hidden units, 8 latent ones; a kept model has so many numbers.
TEST(LstmVae, HasTheSizesOfThePaper) {
  EXPECT_EQ(vae::kWindow, 8u);
  EXPECT_EQ(vae::kLatent, 8u);
  // Encoder 16 x (1 + 4 + 1), mean and variance 2 x 8 x (4 + 1), back 4 x (8 + 1), decoder 16 x (4 + 4 + 1),
  // out.
  EXPECT_EQ(vae::kParameters, 96u + 80u + 36u + 144u + 5u);
}

// Each window is drawn once, in order; the data set is whole blocks of sixteen.
TEST(LstmVae, DrawsEachWindowOnce) {
  TrainOptions o;
  o.windows = 64;
  o.epochs = 1;
  std::vector<size_t> drawn;
  train_vae(
      [&](size_t i, float* window) {
        drawn.push_back(i);
        std::fill_n(window, vae::kWindow, 0.5f);
      },
      o);
  ASSERT_EQ(drawn.size(), 64u);
  for (size_t i = 0; i < drawn.size(); ++i)
    EXPECT_EQ(drawn[i], i);
}

TEST(LstmVae, LearnsToReconstructBelowOneTenThousandth) {
  const auto s = waves(32, 600, 0.003, 1);
  TrainOptions o = quick();
  o.windows = 50'000;
  o.epochs = 60;
  EXPECT_LT(train_metric(s, 0, o).mse, 1e-4);
}

TEST(LstmVae, TrainingIsDeterministicAndTheFileReadsBackExactly) {
  const auto s = waves(8, 300, 0.01, 1);
  FleetModel m{{train_metric(s, 0, quick())}};
  EXPECT_EQ(m.metrics[0].parameters, train_metric(s, 0, quick()).parameters);
  const auto back = model_from_json(base::parse_json(base::write_json(to_json(m)), "m"), "m");
  EXPECT_EQ(back.metrics[0].parameters, m.metrics[0].parameters);
  std::string text = base::write_json(to_json(m));
  text.replace(text.find("\"threshold\":3"), 13, "\"threshold\":4");
  EXPECT_THROW(model_from_json(base::parse_json(text, "m"), "m"), base::Error);
}

TEST(Minder, NamesThePlantedMachineAfterExactlyItsContinuity) {
  auto s = waves(64, 700, 0.01, 3);
  FleetModel model{{train_metric(waves(64, 600, 0.01, 2), 0, quick())}};
  model.metrics[0].threshold = 3;
  EXPECT_FALSE(minder(s, model, {}));
  for (size_t t = 300; t < 700; ++t)
    s.row(0, t)[9] -= 0.3f;
  const auto v = minder(s, model, {});
  ASSERT_TRUE(v);
  EXPECT_EQ(v->machine, 9u);
  EXPECT_NEAR(double(v->step), 300 + 240, 8);
}

TEST(Minder, AFixedThresholdOfThreeCannotFireOnTenMachines) {
  auto s = waves(10, 700, 0.01, 3);
  FleetModel model{{train_metric(waves(10, 600, 0.01, 2), 0, quick())}};
  for (size_t t = 300; t < 700; ++t)
    s.row(0, t)[9] -= 0.4f;
  MinderOptions o;
  o.threshold = 3;
  EXPECT_FALSE(minder(s, model, o));
  for (const Candidate& c : minder_candidates(s, model, 0, o))
    EXPECT_LE(c.z, 9 / std::sqrt(10.0) + 1e-3);
}

TEST(Minder, ScreeningByPivotsKeepsTheVerdict) {
  FleetModel model{{train_metric(waves(64, 400, 0.01, 2), 0, quick())}};
  for (const bool faulty : {false, true}) {
    auto s = waves(400, 600, 0.01, 5);
    for (size_t t = 200; faulty && t < 600; ++t)
      s.row(0, t)[100] -= 0.1f;
    MinderOptions screened;
    MinderOptions exact;
    exact.pivots = 0;
    const auto a = minder(s, model, screened);
    const auto b = minder(s, model, exact);
    EXPECT_EQ(a.has_value(), faulty);
    ASSERT_EQ(a.has_value(), b.has_value());
    if (a) {
      EXPECT_EQ(a->machine, b->machine);
      EXPECT_EQ(a->step, b->step);
    }
  }
}

TEST(Pca, WhitenedComponentsHaveUnitVarianceAndNoCorrelation) {
  base::Rng rng(1, "pca");
  std::vector<double> f;
  for (size_t r = 0; r < 2000; ++r) {
    const double a = rng.normal();
    const double b = rng.normal();
    f.insert(f.end(), {3 * a, a + b, b});
  }
  std::vector<float> out;
  const size_t n = whiten({f, 2000, 3}, 0.95, out, 2000);
  EXPECT_EQ(n, 2u);
  double ab = 0;
  double aa = 0;
  for (size_t r = 0; r < 2000; ++r)
    ab += out[r] * out[2000 + r] / 2000, aa += out[r] * out[r] / 2000;
  EXPECT_NEAR(ab, 0, 0.02);
  EXPECT_NEAR(aa, 1, 0.1);
}

}  // namespace
}  // namespace lento::fleet
