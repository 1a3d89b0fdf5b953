#include "chip/simulation_count.h"

#include <gtest/gtest.h>

namespace lento::chip {
namespace {

TEST(SimulationCount, AHealthyDrawOfATwinIsSimulatedOnce) {
  const SimulationCount count;
  const ReplayOf replays = count.counting([](const Twin&) {
    return [](const std::vector<Fault>&, uint32_t) {
      return Sketch({}, {});
    };
  });
  EXPECT_EQ(count.runs(), 0);
  Twin twin;
  replays(twin)({}, 0);
  replays(twin)({}, 1);
  replays(twin)({}, 0);
  EXPECT_EQ(count.runs(), 2);
  twin.own.cores = {2};
  replays(twin)({}, 0);
  EXPECT_EQ(count.runs(), 3);
  replays(twin)({Fault{}}, 0);
  replays(twin)({Fault{}}, 0);
  EXPECT_EQ(count.runs(), 5);
}

}  // namespace
}  // namespace lento::chip
