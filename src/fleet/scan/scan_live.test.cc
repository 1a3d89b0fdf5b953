// What a live job asks of a scan beyond rows: restarts, members that come and go, a bounded list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/rng.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {
namespace {

using base::Json;

constexpr size_t kMachines = 16;
constexpr int64_t kStep = 15'000;
constexpr int64_t kHour = 240;  // rows

// A job whose machine 5 loses power in rows [slow_from, slow_to) and whose machine 2 sends nothing in
// [quiet_from, quiet_to).
struct Plan {
  int64_t slow_from = INT64_MAX;
  int64_t slow_to = INT64_MAX;
  int64_t quiet_from = INT64_MAX;
  int64_t quiet_to = INT64_MAX;
};

Scan new_scan() {
  ScanFleet fleet;
  for (size_t m = 0; m < kMachines; ++m)
    fleet.machines.push_back("n" + std::to_string(m));
  fleet.metrics = {"power_w"};
  fleet.step_ms = kStep;
  return Scan(fleet, {.budget = {1, 30 * 86400.0}});
}

std::vector<float> row_at(int64_t t, const Plan& p) {
  std::vector<float> row;
  for (size_t m = 0; m < kMachines; ++m) {
    base::Rng rng(3, "live", uint64_t(t) * kMachines + m);
    const double slow = m == 5 && t >= p.slow_from && t < p.slow_to ? 0.85 : 1;
    const bool quiet = m == 2 && t >= p.quiet_from && t < p.quiet_to;
    row.push_back(quiet ? NAN : float(rng.normal(700, 20) * slow));
  }
  return row;
}

void run(Scan& scan, int64_t from, int64_t to, const Plan& p) {
  for (int64_t t = from; t < to; ++t)
    scan.push(t * kStep, row_at(t, p));
}

std::vector<Episode> lasting(const Scan& scan) {
  std::vector<Episode> out;
  for (const Episode& e : scan.episodes()) {
    if (e.active && (e.what == Episode::What::Machines || e.what == Episode::What::Silent))
      out.push_back(e);
  }
  return out;
}

TEST(ScanLive, AnEpisodeOlderThanTheHourGoesOnAfterARestartAndEnds) {
  const Plan plan{3 * kHour, 8 * kHour};
  Scan before = new_scan();
  run(before, 0, 6 * kHour, plan);
  const std::vector<Episode> stood = lasting(before);
  ASSERT_EQ(stood.size(), 1u);

  Scan after = new_scan();
  const Json state = base::parse_json(base::write_json(before.save()), "state");
  after.join_members(state);
  run(after, 5 * kHour, 6 * kHour, plan);
  EXPECT_TRUE(lasting(after).empty());  // an hour of nothing else shows no change
  after.take_over(state);
  ASSERT_EQ(lasting(after).size(), 1u);
  EXPECT_EQ(lasting(after)[0].onset_ms, stood[0].onset_ms);
  EXPECT_EQ(lasting(after)[0].members[0].machine, 5u);
  EXPECT_EQ(lasting(after)[0].members[0].raised_ms, stood[0].members[0].raised_ms);
  run(after, 6 * kHour, 8 * kHour, plan);
  EXPECT_EQ(lasting(after).size(), 1u);
  run(after, 8 * kHour, 9 * kHour, plan);
  EXPECT_TRUE(lasting(after).empty());
}

TEST(ScanLive, AnEpisodeOfTheLastHourIsOneAfterARestart) {
  const Plan plan{6 * kHour - 60};
  Scan before = new_scan();
  run(before, 0, 6 * kHour, plan);
  Scan after = new_scan();
  after.join_members(before.save());
  run(after, 5 * kHour, 6 * kHour, plan);
  after.take_over(before.save());
  ASSERT_EQ(lasting(after).size(), 1u);
  EXPECT_EQ(lasting(after)[0].members.size(), 1u);
  EXPECT_EQ(lasting(after)[0].onset_ms, lasting(before)[0].onset_ms);
}

TEST(ScanLive, ASilentMachineStaysSilentSinceItsLastSample) {
  const Plan plan{.quiet_from = 3 * kHour};
  Scan before = new_scan();
  run(before, 0, 6 * kHour, plan);
  Scan after = new_scan();
  after.join_members(before.save());
  run(after, 5 * kHour, 6 * kHour, plan);
  after.take_over(before.save());
  ASSERT_EQ(lasting(after).size(), 1u);
  EXPECT_EQ(lasting(after)[0].what, Episode::What::Silent);
  EXPECT_EQ(lasting(after)[0].onset_ms, (3 * kHour - 1) * kStep);
}

TEST(ScanLive, SilenceEndsWithALateSampleAndByLeaving) {
  const Plan plan{.quiet_from = kHour};
  for (const bool leaves : {true, false}) {
    Scan scan = new_scan();
    run(scan, 0, 2 * kHour, plan);
    ASSERT_EQ(lasting(scan).size(), 1u);
    if (leaves)
      scan.leave(2);
    else
      scan.heard(2, (2 * kHour - 1) * kStep);
    run(scan, 2 * kHour, 2 * kHour + 1, plan);
    EXPECT_TRUE(lasting(scan).empty());
    scan.forget_resolved(3 * kHour * kStep);
    EXPECT_TRUE(scan.episodes().empty());
  }
}

TEST(ScanLive, WhatLastsIsNotForgotten) {
  const Plan plan{3 * kHour, INT64_MAX, kHour, 2 * kHour};
  Scan scan = new_scan();
  run(scan, 0, 5 * kHour, plan);
  ASSERT_EQ(scan.episodes().size(), 2u);
  scan.forget_resolved(INT64_MAX);
  ASSERT_EQ(scan.episodes().size(), 1u);
  run(scan, 5 * kHour, 6 * kHour, plan);
  ASSERT_EQ(scan.episodes().size(), 1u);
  EXPECT_TRUE(scan.episodes()[0].active);
  EXPECT_EQ(scan.episodes()[0].members[0].machine, 5u);
}

TEST(ScanLive, MeansAreThoseOfTheLastRows) {
  const Plan plan{3 * kHour};
  Scan scan = new_scan();
  run(scan, 0, 4 * kHour, plan);
  ASSERT_EQ(lasting(scan).size(), 1u);
  const RecentMeans means = scan.recent(lasting(scan)[0]);
  const auto rows = int64_t(means.window_s * 1000) / kStep;
  double own = 0;
  double others = 0;
  for (int64_t t = 4 * kHour - rows; t < 4 * kHour; ++t) {
    const std::vector<float> row = row_at(t, plan);
    for (size_t m = 0; m < kMachines; ++m)
      (m == 5 ? own : others) += double(row[m]);
  }
  EXPECT_EQ(rows, 8);
  ASSERT_EQ(means.members.size(), 1u);
  EXPECT_NEAR(means.members[0], own / double(rows), 1e-9);
  EXPECT_NEAR(means.peers, others / double(rows * (kMachines - 1)), 1e-9);
}

TEST(ScanLive, RowsBeforeTheFirstSampleChangeNothing) {
  const Plan plan{3 * kHour};
  Scan scan = new_scan();
  Scan late = new_scan();
  const std::vector<float> empty(kMachines, NAN);
  for (int64_t t = -100; t < 0; ++t)
    late.push(t * kStep, empty);
  run(scan, 0, 4 * kHour, plan);
  run(late, 0, 4 * kHour, plan);
  EXPECT_EQ(base::write_json(scan.save()), base::write_json(late.save()));
}

// While the store is away for a quarter of an hour nobody is away.
TEST(ScanLive, AnOutageTakesNobodysPast) {
  const Plan plan{2 * kHour + 70};
  Scan scan = new_scan();
  run(scan, 0, 2 * kHour, plan);
  for (int64_t t = 2 * kHour; t < 2 * kHour + 60; ++t)
    scan.push(t * kStep, std::vector<float>(kMachines, NAN));
  run(scan, 2 * kHour + 60, 2 * kHour + 90, plan);
  ASSERT_EQ(lasting(scan).size(), 1u);
  EXPECT_EQ(lasting(scan)[0].members[0].machine, 5u);
}

// The noise of a day has a longer tail than that of an hour: after a restart it is as long as before.
TEST(ScanLive, TheTailOfWhatHealthyMachinesShowedOutlivesARestart) {
  Scan before = new_scan();
  run(before, 0, 10 * kHour, {});
  Scan after = new_scan();
  run(after, 9 * kHour, 10 * kHour, {});
  const auto largest = [](const Scan& scan) {
    const Json state = scan.save();
    const base::Location where{"state"};
    const Json& track = state.at("tracks", where).array(where).front();
    const Json& noise = track.at("tails", where).array(where)[0].array(where)[0];
    return noise.array(where)[1].number(where);
  };
  EXPECT_LT(largest(after), largest(before));
  after.take_over(before.save());
  EXPECT_EQ(largest(after), largest(before));
}

TEST(ScanLive, OtherStatesAreRefusedOrIgnored) {
  Scan scan = new_scan();
  run(scan, 0, kHour, {});
  EXPECT_THROW(scan.join_members(Json::object().set("schema", "lento.fleet-state/2")), base::Error);
  EXPECT_THROW(scan.join_members(Json()), base::Error);
  Plan slow{3 * kHour};
  Scan other = new_scan();
  run(other, 0, 4 * kHour, slow);
  std::string text = base::write_json(other.save());
  for (const auto& [from, to] :
       {std::pair{"\"n5\"", "\"gone\""},
        std::pair{"power_w", "watts"},
        std::pair{"\"level\":", "\"level\":9"}}) {
    std::string changed = text;
    for (size_t at = 0; (at = changed.find(from, at)) != std::string::npos; at += std::string(to).size())
      changed.replace(at, std::string(from).size(), to);
    const Json state = base::parse_json(changed, "state");
    scan.join_members(state);
    try {
      scan.take_over(state);
    } catch (const base::Error&) {
    }
    EXPECT_TRUE(lasting(scan).empty()) << from;
  }
}

}  // namespace
}  // namespace lento::fleet
