#include "fleet/simulate/steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/rng.h"

namespace lento::fleet {
namespace {

StepJob three_machines() {
  StepJob job;
  job.machines = {{"a", {2}, {}}, {"b", {2}, {3}}, {"c", {1}, {}}};
  job.exchange_s = 1;
  job.seconds = 60;
  job.onset_s = 30;
  return job;
}

TEST(Steps, AllWaitForTheSlowest) {
  const MetricSeries s = simulate_steps(three_machines());
  EXPECT_TRUE(std::isnan(s.at(0, 2, 0)));  // the first step ends after three seconds
  EXPECT_FLOAT_EQ(s.at(2, 10, 0), 3);
  EXPECT_FLOAT_EQ(s.at(2, 10, 2), 3);
  EXPECT_FLOAT_EQ(s.at(0, 10, 2), 1);
  EXPECT_FLOAT_EQ(s.at(1, 10, 2), 1.0F / 3);  // computes one second, exchanges one, waits one
  EXPECT_FLOAT_EQ(s.at(1, 10, 0), 0);
}

TEST(Steps, ASlowMachineSlowsEveryStepFromItsOnsetOn) {
  const MetricSeries s = simulate_steps(three_machines());
  EXPECT_FLOAT_EQ(s.at(0, 29, 1), 2);
  EXPECT_FLOAT_EQ(s.at(0, 50, 1), 3);
  EXPECT_FLOAT_EQ(s.at(2, 50, 0), 4);
}

// What is shown adds up: the machine's own time, its wait and the exchange are the step, the slowest waits
// for nobody, and steps follow one another.
TEST(Steps, ThePartsOfAStepAreTheStep) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    base::Rng rng(seed, "steps");
    StepJob job;
    job.seed = seed;
    job.seconds = 200;
    job.onset_s = 100;
    job.exchange_s = rng.uniform(0, 0.5);
    for (int m = 0; m < 5; ++m) {
      StepMachine machine{"m" + std::to_string(m), {}, {}};
      for (int i = 0; i < 4; ++i)
        machine.compute_s.push_back(rng.uniform(0.3, 2.5));
      job.machines.push_back(machine);
    }
    const MetricSeries s = simulate_steps(job);
    EXPECT_EQ(simulate_steps(job).values.size(), s.values.size());
    for (size_t t = 5; t < s.steps; ++t) {
      double slowest = 0;
      double least_wait = 1;
      for (size_t m = 0; m < 5; ++m) {
        const double step = s.at(2, t, m);
        EXPECT_NEAR(s.at(0, t, m) + s.at(1, t, m) * step + job.exchange_s, step, 1e-5);
        slowest = std::max(slowest, double(s.at(0, t, m)));
        least_wait = std::min(least_wait, double(s.at(1, t, m)));
      }
      EXPECT_NEAR(slowest + job.exchange_s, s.at(2, t, 0), 1e-5);
      EXPECT_NEAR(least_wait, 0, 1e-5);
    }
  }
}

// Draws of the other machines do not depend on whether one becomes slow.
TEST(Steps, BeforeTheOnsetAFaultyJobIsTheHealthyOne) {
  StepJob job = three_machines();
  for (StepMachine& m : job.machines)
    m.compute_s = {1, 1.1, 1.2, 1.3};
  job.machines[1].compute_after_s = {};
  const MetricSeries healthy = simulate_steps(job);
  job.machines[1].compute_after_s = {2, 2.1, 2.2, 2.3};
  const MetricSeries faulty = simulate_steps(job);
  for (size_t t = 3; t < 30; ++t) {
    for (size_t m = 0; m < 3; ++m)
      EXPECT_EQ(healthy.at(0, t, m), faulty.at(0, t, m)) << t;
  }
  EXPECT_GT(faulty.at(0, 50, 1), 1.9);
}

TEST(Steps, MachinesWithoutTimesAreRefused) {
  StepJob job = three_machines();
  job.machines[1].compute_s.clear();
  EXPECT_THROW(simulate_steps(job), base::Error);
  for (const double bad : {-1.0, 0.0, double(NAN), double(INFINITY)}) {
    job.machines[1].compute_s = {1, bad};
    EXPECT_THROW(simulate_steps(job), base::Error);
    job.machines[1].compute_s = {1};
    job.machines[1].compute_after_s = {bad};
    EXPECT_THROW(simulate_steps(job), base::Error);
    job.machines[1].compute_after_s = {};
  }
  EXPECT_THROW(simulate_steps(StepJob{}), base::Error);
}

}  // namespace
}  // namespace lento::fleet
