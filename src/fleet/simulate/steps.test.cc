#include "fleet/simulate/steps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

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
  const trace::MetricSeries s = simulate_steps(three_machines());
  EXPECT_TRUE(std::isnan(s.at(0, 2, 0)));  // the first step ends after three seconds
  EXPECT_FLOAT_EQ(s.at(2, 10, 0), 3);
  EXPECT_FLOAT_EQ(s.at(2, 10, 2), 3);
  EXPECT_FLOAT_EQ(s.at(0, 10, 2), 1);
  EXPECT_FLOAT_EQ(s.at(1, 10, 2), 1.0F / 3);  // computes one second, exchanges one, waits one
  EXPECT_FLOAT_EQ(s.at(1, 10, 0), 0);
}

TEST(Steps, ASlowMachineSlowsEveryStepFromItsOnsetOn) {
  const trace::MetricSeries s = simulate_steps(three_machines());
  EXPECT_FLOAT_EQ(s.at(0, 29, 1), 2);
  EXPECT_FLOAT_EQ(s.at(0, 50, 1), 3);
  EXPECT_FLOAT_EQ(s.at(2, 50, 0), 4);
}

TEST(Steps, MachinesWithoutTimesAreRefused) {
  StepJob job = three_machines();
  job.machines[1].compute_s.clear();
  EXPECT_THROW(simulate_steps(job), base::Error);
  job.machines[1].compute_s = {-1};
  EXPECT_THROW(simulate_steps(job), base::Error);
}

}  // namespace
}  // namespace lento::fleet
