// Lift against controls of the same time, by closed forms; items of windows.
#include "memory/mine/base_rate.h"

#include <gtest/gtest.h>

namespace lento::memory {
namespace {

// Windows and controls at these cycles; whether each shows the thing is its excess.
WindowScan scan_of(
    const std::vector<std::pair<uint64_t, bool>>& windows,
    const std::vector<std::pair<uint64_t, bool>>& controls) {
  WindowScan scan;
  for (const auto& [seed, shows] : windows) {
    scan.windows.emplace_back();
    scan.windows.back().seed = seed;
    scan.windows.back().excess = shows;
  }
  for (const auto& [seed, shows] : controls) {
    scan.controls.emplace_back();
    scan.controls.back().seed = seed;
    scan.controls.back().excess = shows;
  }
  return scan;
}

BaseRate::Rate rate_of(const WindowScan& scan, uint64_t duration) {
  Scan trace;
  trace.events = 1;
  trace.first_cycle = 0;
  trace.last_cycle = duration - 1;
  return BaseRate(trace, scan).of([](const WindowFacts& w) {
    return w.excess > 0;
  });
}

TEST(BaseRate, AlwaysThereIsALiftOfOne) {
  std::vector<std::pair<uint64_t, bool>> windows;
  std::vector<std::pair<uint64_t, bool>> controls;
  for (uint64_t i = 0; i < 100; ++i) {
    windows.emplace_back(i, true);
    controls.emplace_back(i, true);
  }
  const auto rate = rate_of(scan_of(windows, controls), 100);
  EXPECT_EQ(rate.hits, 100u);
  EXPECT_EQ(rate.control_hits, 100u);
  EXPECT_DOUBLE_EQ(rate.share, 1);
  EXPECT_DOUBLE_EQ(rate.control_share, 1);
  EXPECT_DOUBLE_EQ(rate.lift, 1);
}

TEST(BaseRate, TwiceAsOftenIsALiftOfTwo) {
  std::vector<std::pair<uint64_t, bool>> windows;
  std::vector<std::pair<uint64_t, bool>> controls;
  for (uint64_t i = 0; i < 20; ++i) {
    windows.emplace_back(5 * i, i % 2 == 0);
    controls.emplace_back(5 * i, i % 4 == 0);
  }
  const auto rate = rate_of(scan_of(windows, controls), 100);
  EXPECT_DOUBLE_EQ(rate.share, 0.5);
  EXPECT_DOUBLE_EQ(rate.control_share, 0.25);
  EXPECT_DOUBLE_EQ(rate.lift, 2);
}

// A thing of the second half only, as is all contention: seen overall it is twice as often in windows, at its
// own time it is as often as ever.
TEST(BaseRate, PhasesOfTheProgramAreNoContention) {
  std::vector<std::pair<uint64_t, bool>> windows;
  std::vector<std::pair<uint64_t, bool>> controls;
  for (uint64_t i = 0; i < 40; ++i) {
    windows.emplace_back(500 + 10 * i, true);
    controls.emplace_back(25 * i, i >= 20);
  }
  EXPECT_DOUBLE_EQ(rate_of(scan_of(windows, controls), 1000).lift, 1);
}

TEST(BaseRate, NeverInControlsHasNoLift) {
  const auto rate = rate_of(scan_of({{1, true}}, {{1, false}, {2, false}}), 10);
  EXPECT_EQ(rate.lift, 0);
  EXPECT_EQ(rate.control_share, 0);
}

TEST(BaseRate, WithoutWindowsAllIsZero) {
  const auto rate = rate_of(scan_of({}, {}), 10);
  EXPECT_EQ(rate.share, 0);
  EXPECT_EQ(rate.lift, 0);
}

}  // namespace
}  // namespace lento::memory
