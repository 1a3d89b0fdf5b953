// A synthetic job must be what its truth says: who differs, when, in which metrics.
#include "fleet/simulate/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "evidence/sample.h"

namespace lento::fleet {
namespace {

FleetJob job_of(uint64_t seed, bool faulty, const char* preset = "paper") {
  FleetJob job;
  job.preset = fleet_preset(preset);
  job.machines = 12;
  job.faulty = faulty;
  job.seconds = 900;
  job.seed = seed;
  return job;
}

size_t metric(const MetricSeries& s, const std::string& name) {
  return size_t(std::ranges::find(s.metrics, name) - s.metrics.begin());
}

double mean_of(const MetricSeries& s, size_t metric, size_t machine, double from, double to) {
  std::vector<double> values;
  for (auto t = size_t(from); t < std::min(size_t(to), s.steps); ++t) {
    if (std::isfinite(s.at(metric, t, machine)))
      values.push_back(s.at(metric, t, machine));
  }
  return evidence::mean(values);
}

TEST(SimulateFleet, IsAPureFunctionOfSeedAndIndex) {
  const auto values = [](uint64_t seed, uint64_t index) {
    FleetJob job = job_of(seed, true, "production");
    job.index = index;
    return simulate_fleet(job).series.values;
  };
  const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::ranges::equal(a, b, [](float x, float y) {
             return x == y || (std::isnan(x) && std::isnan(y));
           });
  };
  EXPECT_TRUE(same(values(1, 0), values(1, 0)));
  EXPECT_FALSE(same(values(1, 0), values(1, 1)));
  EXPECT_FALSE(same(values(1, 0), values(2, 0)));
}

TEST(SimulateFleet, TheSeriesFitsItsNames) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const SimulatedFleet fleet = simulate_fleet(job_of(seed, seed % 2));
    const MetricSeries& s = fleet.series;
    EXPECT_EQ(s.machines.size(), 12u);
    EXPECT_EQ(s.metrics.size(), 10u);
    EXPECT_EQ(s.step_ms, 1000);
    EXPECT_EQ(s.values.size(), s.metrics.size() * s.steps * s.machines.size());
    EXPECT_EQ(std::set<std::string>(s.machines.begin(), s.machines.end()).size(), 12u);
    for (const float v : s.values)
      EXPECT_TRUE(v >= 0);
    std::string before;
    for (size_t m = 0; m < 12; ++m) {
      const std::string stage(label(s, m, "stage"));
      EXPECT_GE(stage, before) << "stages follow one another";
      before = stage;
    }
  }
}

TEST(SimulateFleet, WithoutExtrasThereAreThePapersSevenMetrics) {
  FleetJob job = job_of(1, false);
  job.extra_metrics = false;
  EXPECT_EQ(simulate_fleet(job).series.metrics.size(), 7u);
}

TEST(SimulateFleet, AHealthyJobHasNoTruthAndItsFullLength) {
  const SimulatedFleet fleet = simulate_fleet(job_of(3, false));
  EXPECT_FALSE(fleet.truth.faulty);
  EXPECT_FALSE(fleet.truth.visible);
  EXPECT_TRUE(fleet.truth.shown.empty());
  EXPECT_EQ(fleet.series.steps, 900u);
}

TEST(SimulateFleet, TheTruthOfAFaultIsConsistent) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const FleetTruth t = simulate_fleet(job_of(seed, true)).truth;
    EXPECT_TRUE(t.faulty);
    EXPECT_LT(t.machine, 12u);
    EXPECT_GE(t.onset_s, 240);
    EXPECT_LT(t.onset_s, 600);
    EXPECT_GE(t.halt_s - t.onset_s, 240) << "the paper's preset has no shorter fault";
    EXPECT_LE(t.halt_s - t.onset_s, 1800);
    EXPECT_LE(t.contrast_s, t.halt_s - t.onset_s + 1e-9);
    EXPECT_FALSE(t.type.empty());
    const auto shows = [&](const char* name) {
      return std::ranges::find(t.shown, name) != t.shown.end();
    };
    EXPECT_EQ(t.visible, t.contrast_s >= 240 && (shows("CPU") || shows("GPU") || shows("PFC")));
  }
}

TEST(SimulateFleet, AJobEndsWhereItHalts) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const SimulatedFleet fleet = simulate_fleet(job_of(seed, true));
    EXPECT_EQ(fleet.series.steps, size_t(fleet.truth.halt_s));
  }
}

TEST(SimulateFleet, ThePlantedMachineDiffersInWhatItShowsAndTheOthersDoNot) {
  int seen = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const SimulatedFleet fleet = simulate_fleet(job_of(seed, true));
    const FleetTruth& t = fleet.truth;
    if (!t.visible)
      continue;
    const MetricSeries& s = fleet.series;
    const double from = t.onset_s + 30;
    const double to = t.onset_s + std::min(t.contrast_s, 230.0);
    for (const auto& [name, metric_class] :
         {std::pair{"pfc_tx_packets", "PFC"}, std::pair{"cpu_usage", "CPU"}}) {
      std::vector<double> others;
      for (size_t m = 0; m < 12; ++m) {
        if (m + 1 < t.machine || m > t.machine + 1)  // neighbours see congestion too
          others.push_back(mean_of(s, metric(s, name), m, from, to));
      }
      const double ratio = mean_of(s, metric(s, name), t.machine, from, to) / evidence::median(others);
      if (std::ranges::find(t.shown, metric_class) == t.shown.end()) {
        EXPECT_NEAR(ratio, 1, 0.35) << seed << " " << name;
        continue;
      }
      ++seen;
      if (std::string(metric_class) == "PFC") {
        EXPECT_GT(ratio, 5) << seed;
      } else {
        EXPECT_LT(ratio, 0.6) << seed;
      }
    }
  }
  EXPECT_GT(seen, 10);
}

TEST(SimulateFleet, BeforeTheOnsetNobodyDiffers) {
  for (uint64_t seed = 1; seed <= 15; ++seed) {
    const SimulatedFleet fleet = simulate_fleet(job_of(seed, true));
    const MetricSeries& s = fleet.series;
    const size_t cpu = metric(s, "cpu_usage");
    std::vector<double> all;
    for (size_t m = 0; m < 12; ++m)
      all.push_back(mean_of(s, cpu, m, 60, fleet.truth.onset_s));
    const double centre = evidence::median(all);
    for (const double mean : all)
      EXPECT_NEAR(mean / centre, 1, 0.2) << seed;
  }
}

TEST(SimulateFleet, OnlyProductionLosesSamples) {
  const auto missing = [](const char* preset) {
    size_t gaps = 0;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      for (const float v : simulate_fleet(job_of(seed, false, preset)).series.values)
        gaps += std::isnan(v);
    }
    return gaps;
  };
  EXPECT_EQ(missing("paper"), 0u);
  EXPECT_GT(missing("production"), 0u);
}

TEST(SimulateFleet, TooFewMachinesAndUnknownPresetsAreRefused) {
  FleetJob job = job_of(1, false);
  job.machines = 3;
  EXPECT_THROW(simulate_fleet(job), base::Error);
  EXPECT_THROW(fleet_preset("papre"), base::Error);
  EXPECT_EQ(fleet_presets().size(), 2u);
}

TEST(SimulateFleet, DrawnSizesSpanTheirRange) {
  size_t least = SIZE_MAX;
  size_t most = 0;
  for (uint64_t index = 0; index < 12; ++index) {
    FleetJob job = job_of(1, false);
    job.machines = 0;
    job.seconds = 2;
    job.index = index;
    const size_t machines = simulate_fleet(job).series.machines.size();
    least = std::min(least, machines);
    most = std::max(most, machines);
    EXPECT_GE(machines, 4u);
    EXPECT_LE(machines, 1500u);
  }
  EXPECT_LT(least, 200u);
  EXPECT_GT(most, 600u);
}

}  // namespace
}  // namespace lento::fleet
