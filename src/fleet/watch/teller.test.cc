// Alerts over time, by nothing but what each moment asks for.
#include "fleet/watch/teller.h"

#include <gmock/gmock.h>

namespace lento::fleet {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr int64_t kStart = 1'795'176'000'000;

struct StandingClock : Clock {
  int64_t ms = 0;
  int64_t steady_ms() const override {
    return ms;
  }
  int64_t wall_ms() const override {
    return kStart + ms;
  }
};

struct Sink : AlertSink {
  std::vector<Alert> last;
  bool send(const std::vector<Alert>& alerts) override {
    last = alerts;
    return true;
  }
};

struct Runner : HookRunner {
  std::vector<std::string> ran;
  bool start(const HookCall& call) override {
    ran.push_back(call.machine);
    return true;
  }
  std::vector<std::pair<std::string, int>> ended() override {
    return {};
  }
};

// A teller and what its rounds need.
struct Office {
  StandingClock clock;
  Sink sink;
  Runner runner;
  std::vector<std::string> said;
  WatchLog log;
  WatchHooks hooks{{"llm", testing::TempDir() + "/teller.hooks", true, true, 10}, clock, runner, log};
  Teller teller{{60, 600, "llm"}, log, sink, hooks};
  bool judged = true;
  bool clean = true;
  bool left = false;

  Office() {
    std::remove((testing::TempDir() + "/teller.hooks").c_str());
    log.say = [this](const std::string& line) {
      said.push_back(line);
    };
  }

  WantedAlerts slow() const {
    WantedAlerts out;
    WantedAlert& w = out["LentoDeviatingMachine n7"];
    w.alert.labels = {{"alertname", "LentoDeviatingMachine"}};
    w.alert.annotations = {{"summary", "n7 is slow"}};
    w.alert.starts_ms = kStart + clock.ms;
    w.since_ms = kStart + clock.ms;
    w.of_rows = w.may_hook = true;
    w.machine = "n7";
    return out;
  }

  void round(const WantedAlerts& wanted) {
    Teller::Round r;
    r.at = {clock.ms, kStart + clock.ms};
    r.judged = judged;
    r.clean = clean;
    r.members = 16;
    r.in_job = [this](const std::string&) {
      return !left;
    };
    teller.tell(wanted, r);
    clock.ms += 10'000;
  }
};

TEST(Teller, RepeatsAnAlertEachMinuteWithItsFirstBegin) {
  Office office;
  size_t sent = 0;
  for (int i = 0; i < 13; ++i) {
    office.round(office.slow());
    sent += office.sink.last.size();
  }
  EXPECT_EQ(sent, 3u);
  ASSERT_THAT(office.sink.last, SizeIs(1));
  EXPECT_EQ(office.sink.last[0].starts_ms, kStart);
  EXPECT_EQ(office.sink.last[0].ends_ms, kStart + 120'000 + 240'000);
  EXPECT_THAT(office.said, ElementsAre("2026-11-20T12:00:00.000Z n7 is slow"));
}

// A second metric that changes later neither rewrites an alert nor keeps it.
TEST(Teller, AnAlertKeepsTheMetricThatRaisedItAndEndsWithIt) {
  Office office;
  const auto about = [&](const char* metric, int64_t onset_ms) {
    WantedAlerts out = office.slow();
    WantedAlert& w = out.begin()->second;
    w.alert.annotations = {{"metric", metric}, {"summary", metric}};
    w.alert.starts_ms = onset_ms;
    return out;
  };
  office.round(about("power", kStart));
  const int64_t later = kStart + 60'000;
  for (int i = 0; i < 30; ++i)
    office.round(about("clock", later));
  ASSERT_TRUE(office.teller.stands("LentoDeviatingMachine n7"));
  EXPECT_THAT(office.sink.last, Each(Field(&Alert::annotations, Contains(Pair("metric", "power")))));
  for (int i = 0; i < 40; ++i)
    office.round(about("clock", later));
  EXPECT_THAT(office.said, ElementsAre(HasSubstr("power"), HasSubstr("clock")));
}

TEST(Teller, AFlappingMachineIsOneAlertThatEndsTenMinutesAfterTheLast) {
  Office office;
  for (int i = 0; i < 120; ++i)
    office.round(i % 40 < 20 ? office.slow() : WantedAlerts{});
  EXPECT_THAT(office.said, SizeIs(1));
  const int64_t last_asked = kStart + 990'000;
  while (office.teller.stands("LentoDeviatingMachine n7"))
    office.round({});
  EXPECT_EQ(office.sink.last.front().ends_ms, last_asked + 610'000);
  EXPECT_THAT(office.runner.ran, ElementsAre("n7"));
}

TEST(Teller, AMachineThatLeftHasNoAlertAndAnOutageEndsNone) {
  Office office;
  office.round(office.slow());
  office.judged = false;
  for (int i = 0; i < 100; ++i)
    office.round({});
  EXPECT_TRUE(office.teller.stands("LentoDeviatingMachine n7"));
  office.left = true;
  office.round({});
  EXPECT_FALSE(office.teller.stands("LentoDeviatingMachine n7"));
  EXPECT_EQ(office.sink.last.front().ends_ms, kStart + office.clock.ms - 10'000);
}

TEST(Teller, AHookWaitsForCleanEvidence) {
  Office office;
  office.clean = false;
  office.round(office.slow());
  EXPECT_THAT(office.runner.ran, IsEmpty());
  office.clean = true;
  office.round(office.slow());
  office.round(office.slow());
  EXPECT_THAT(office.runner.ran, ElementsAre("n7"));
}

TEST(Teller, WhatWasToldIsNotSaidAgainAfterARestart) {
  Office before;
  before.clean = false;
  before.round(before.slow());
  Office after;
  after.teller.load(before.teller.save(), {"state"});
  after.round(after.slow());
  EXPECT_THAT(after.said, IsEmpty());
  ASSERT_THAT(after.sink.last, SizeIs(1));
  EXPECT_EQ(after.sink.last[0].starts_ms, kStart);
  EXPECT_THAT(after.runner.ran, ElementsAre("n7"));
}

}  // namespace
}  // namespace lento::fleet
