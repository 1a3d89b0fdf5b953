#include "jobs/simulation_count.h"

#include <gtest/gtest.h>

namespace lento::jobs {
namespace {

TEST(SimulationCount, AHealthyDrawOfATwinIsSimulatedOnce) {
  const SimulationCount count;
  const chip::ReplayOf replays = count.counting([](const chip::Twin&) {
    return [](const std::vector<chip::Fault>&, uint32_t) {
      return chip::Sketch({}, {});
    };
  });
  EXPECT_EQ(count.runs(), 0);
  chip::Twin twin;
  replays(twin)({}, 0);
  replays(twin)({}, 1);
  replays(twin)({}, 0);
  EXPECT_EQ(count.runs(), 2);
  twin.own.cores = {2};
  replays(twin)({}, 0);
  EXPECT_EQ(count.runs(), 3);
  replays(twin)({chip::Fault{}}, 0);
  replays(twin)({chip::Fault{}}, 0);
  EXPECT_EQ(count.runs(), 5);
}

}  // namespace
}  // namespace lento::jobs
