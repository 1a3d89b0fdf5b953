// Alerts over time, by nothing but what each moment asks for.
#include "fleet/watch/alert_sender.h"

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

// An AlertSender and the objects that it needs.
struct Office {
  StandingClock clock;
  Sink sink;
  Runner runner;
  std::vector<std::string> said;
  WatchLog log;
  WatchHooks hooks{{"llm", testing::TempDir() + "/alert_sender.hooks", true, true, 10}, clock, runner, log};
  AlertSender sender{{60, 600, "llm"}, log, sink, hooks};
  bool judged = true;
  bool clean = true;
  bool left = false;

  Office() {
    std::remove((testing::TempDir() + "/alert_sender.hooks").c_str());
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

  void update(const WantedAlerts& wanted) {
    AlertSender::WatchState r;
    r.at = {clock.ms, kStart + clock.ms};
    r.judged = judged;
    r.clean = clean;
    r.members = 16;
    r.in_job = [this](const std::string&) {
      return !left;
    };
    sender.update(wanted, r);
    clock.ms += 10'000;
  }
};

TEST(AlertSender, RepeatsAnAlertEachMinuteWithItsFirstBegin) {
  Office office;
  size_t sent = 0;
  for (int i = 0; i < 13; ++i) {
    office.update(office.slow());
    sent += office.sink.last.size();
  }
  EXPECT_EQ(sent, 3u);
  ASSERT_THAT(office.sink.last, SizeIs(1));
  EXPECT_EQ(office.sink.last[0].starts_ms, kStart);
  EXPECT_EQ(office.sink.last[0].ends_ms, kStart + 120'000 + 240'000);
  EXPECT_THAT(office.said, ElementsAre("2026-11-20T12:00:00.000Z n7 is slow"));
}

// A second metric that changes later neither rewrites an alert nor keeps it.
TEST(AlertSender, AnAlertKeepsTheMetricThatRaisedItAndEndsWithIt) {
  Office office;
  const auto about = [&](const char* metric, int64_t onset_ms) {
    WantedAlerts out = office.slow();
    WantedAlert& w = out.begin()->second;
    w.alert.annotations = {{"metric", metric}, {"summary", metric}};
    w.alert.starts_ms = onset_ms;
    return out;
  };
  office.update(about("power", kStart));
  const int64_t later = kStart + 60'000;
  for (int i = 0; i < 30; ++i)
    office.update(about("clock", later));
  ASSERT_TRUE(office.sender.stands("LentoDeviatingMachine n7"));
  EXPECT_THAT(office.sink.last, Each(Field(&Alert::annotations, Contains(Pair("metric", "power")))));
  for (int i = 0; i < 40; ++i)
    office.update(about("clock", later));
  EXPECT_THAT(office.said, ElementsAre(HasSubstr("power"), HasSubstr("clock")));
}

TEST(AlertSender, AFlappingMachineIsOneAlertThatEndsTenMinutesAfterTheLast) {
  Office office;
  for (int i = 0; i < 120; ++i)
    office.update(i % 40 < 20 ? office.slow() : WantedAlerts{});
  EXPECT_THAT(office.said, SizeIs(1));
  const int64_t last_asked = kStart + 990'000;
  while (office.sender.stands("LentoDeviatingMachine n7"))
    office.update({});
  EXPECT_EQ(office.sink.last.front().ends_ms, last_asked + 610'000);
  EXPECT_THAT(office.runner.ran, ElementsAre("n7"));
}

TEST(AlertSender, AMachineThatLeftHasNoAlertAndAnOutageEndsNone) {
  Office office;
  office.update(office.slow());
  office.judged = false;
  for (int i = 0; i < 100; ++i)
    office.update({});
  EXPECT_TRUE(office.sender.stands("LentoDeviatingMachine n7"));
  office.left = true;
  office.update({});
  EXPECT_FALSE(office.sender.stands("LentoDeviatingMachine n7"));
  EXPECT_EQ(office.sink.last.front().ends_ms, kStart + office.clock.ms - 10'000);
}

TEST(AlertSender, AHookWaitsForCleanEvidence) {
  Office office;
  office.clean = false;
  office.update(office.slow());
  EXPECT_THAT(office.runner.ran, IsEmpty());
  office.clean = true;
  office.update(office.slow());
  office.update(office.slow());
  EXPECT_THAT(office.runner.ran, ElementsAre("n7"));
}

TEST(AlertSender, WhatWasToldIsNotSaidAgainAfterARestart) {
  Office before;
  before.clean = false;
  before.update(before.slow());
  Office after;
  after.sender.load(before.sender.save(), {"state"});
  after.update(after.slow());
  EXPECT_THAT(after.said, IsEmpty());
  ASSERT_THAT(after.sink.last, SizeIs(1));
  EXPECT_EQ(after.sink.last[0].starts_ms, kStart);
  EXPECT_THAT(after.runner.ran, ElementsAre("n7"));
}

}  // namespace
}  // namespace lento::fleet
