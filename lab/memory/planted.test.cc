// Planted traces hold what their seed drew: the conflict on the variable, the ordinary work beside it, and a
// twin without the conflict. The detector takes no part here.
#include "lab/memory/planted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lento::lab {
namespace {

using memory::AccessRecord;
using memory::Service;

bool is_hot(const AccessRecord& r) {
  return r.pc >= 0x8000;
}

std::set<uint64_t> lines_of(const PlantedTrace& t) {
  std::set<uint64_t> lines;
  for (const AccessRecord& r : t.records) {
    if (is_hot(r))
      lines.insert(r.address / uint64_t(t.line_bytes));
  }
  return lines;
}

// Mean latency of the accesses to the variable.
double hot_latency(const PlantedTrace& t) {
  double sum = 0;
  double count = 0;
  for (const AccessRecord& r : t.records) {
    sum += is_hot(r) ? r.latency : 0;
    count += is_hot(r);
  }
  return sum / count;
}

class PlantedCause : public testing::TestWithParam<int> {
 protected:
  Plant cause() const {
    return static_cast<Plant>(GetParam());
  }
};

TEST_P(PlantedCause, TimesRiseAndAtLeastTwoHundredAccessesMeetTheVariable) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const PlantedTrace t = plant(cause(), seed, false);
    EXPECT_TRUE(std::ranges::is_sorted(t.records, {}, &AccessRecord::cycle));
    EXPECT_GE(std::ranges::count_if(t.records, is_hot), 200);
    for (const AccessRecord& r : t.records)
      EXPECT_LT(r.cpu, t.cpus);
  }
}

TEST_P(PlantedCause, TheVariableCostsMoreThanInTheTwin) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_GT(hot_latency(plant(cause(), seed, false)), 1.3 * hot_latency(plant(cause(), seed, true)))
        << to_string(cause()) << " seed " << seed;
  }
}

TEST_P(PlantedCause, TheTwinIsTheSameMachine) {
  const PlantedTrace sick = plant(cause(), 7, false);
  const PlantedTrace twin = plant(cause(), 7, true);
  EXPECT_EQ(sick.cpus, twin.cpus);
  EXPECT_EQ(sick.line_bytes, twin.line_bytes);
  EXPECT_EQ(sick.period, twin.period);
  EXPECT_EQ(sick.records.size(), twin.records.size());
}

INSTANTIATE_TEST_SUITE_P(All, PlantedCause, testing::Range(0, kPlants));

TEST(PlantedTraces, FalseSharingPutsManyCpusInALineAndTheTwinOneInEach) {
  const PlantedTrace sick = plant(Plant::FalseSharing, 3, false);
  const PlantedTrace twin = plant(Plant::FalseSharing, 3, true);
  EXPECT_LT(lines_of(sick).size(), size_t(sick.cpus));
  EXPECT_EQ(lines_of(twin).size(), size_t(twin.cpus));
}

TEST(PlantedTraces, TrueSharingAndLocksHaveOneWord) {
  for (const Plant p : {Plant::TrueSharing, Plant::Lock}) {
    EXPECT_EQ(lines_of(plant(p, 4, false)).size(), 1U);
    EXPECT_GT(lines_of(plant(p, 4, true)).size(), 1U);
  }
}

TEST(PlantedTraces, RemoteMemoryAnswersOnlyTheSick) {
  const auto remote = [](const PlantedTrace& t) {
    return std::ranges::count(t.records, Service::RemoteMemory, &AccessRecord::service);
  };
  EXPECT_GT(remote(plant(Plant::Remote, 2, false)), 0);
  EXPECT_EQ(remote(plant(Plant::Remote, 2, true)), 0);
}

TEST(PlantedTraces, OnlyASimulatorSaysWhoDelayedWhom) {
  bool both[2] = {false, false};
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const PlantedTrace t = plant(Plant::FalseSharing, seed, false);
    both[t.by_culprit] = true;
    for (const AccessRecord& r : t.records) {
      const bool blamed = r.blamed > 0;
      EXPECT_LE(blamed, t.by_culprit);
      if (blamed) {
        EXPECT_NE(r.culprit, r.cpu);
      }
    }
  }
  EXPECT_TRUE(both[0] && both[1]);
}

}  // namespace
}  // namespace lento::lab
