#include "fleet/watch/watch.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/rng.h"
#include "fleet/watch/replay.h"

namespace lento::fleet {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr int64_t kStart = 1'795'176'000'000;  // 2026-11-20 12:00:00 UTC

struct FakeClock : Clock {
  int64_t ms = 0;
  int64_t steady_ms() const override {
    return ms;
  }
  int64_t wall_ms() const override {
    return kStart + ms;
  }
};

struct DeadStore : Feed {
  std::string name() const override {
    return "store";
  }
  MetricSeries read(int64_t, int64_t, int64_t, base::ReadReport&) override {
    throw base::Error({"store"}, "does not answer");
  }
  std::optional<std::vector<Target>> targets() override {
    return std::nullopt;
  }
  std::optional<int64_t> now_ms() override {
    return std::nullopt;
  }
};

// Does not answer for five minutes, then has six machines that all do the same, until it ends.
struct RepairedStore : DeadStore {
  const FakeClock& clock;
  int64_t ends_ms = INT64_MAX;
  explicit RepairedStore(const FakeClock& c)
      : clock(c) {
  }
  MetricSeries read(int64_t begin, int64_t end, int64_t, base::ReadReport& report) override {
    if (clock.ms < 300'000 || clock.ms >= ends_ms)
      throw base::Error({"store"}, "does not answer");
    MetricSeries out;
    out.metrics = {"power"};
    out.begin_ms = begin;
    out.steps = size_t(end - begin) / 1000;
    out.sample_gap_ms = 1000;
    for (int m = 0; m < 6; ++m) {
      out.machines.push_back("node" + std::to_string(m));
      out.newest_ms.push_back(out.time_ms(out.steps) - 1000);
    }
    for (size_t i = 0; i < out.steps * out.machines.size(); ++i)
      out.values.push_back(300 + float(i * 7 % 11));
    report.taken += out.values.size();
    return out;
  }
};

// Eight machines that are scraped every minute; after an hour every answer holds another half of them.
// Machine 3 may have died five minutes before.
struct HalvingStore : DeadStore {
  static constexpr int64_t kHalvesFrom = 3'600'000;
  const FakeClock& clock;
  bool died = false;
  bool knows_up = false;
  size_t reads = 0;
  size_t lists = 0;
  explicit HalvingStore(const FakeClock& c)
      : clock(c) {
  }
  std::optional<int64_t> now_ms() override {
    return kStart + clock.ms;
  }
  bool halves() const {
    return clock.ms >= kHalvesFrom;
  }
  MetricSeries read(int64_t begin, int64_t end, int64_t, base::ReadReport& report) override {
    ++reads;
    MetricSeries out;
    out.metrics = {"power"};
    out.step_ms = out.sample_gap_ms = 60'000;
    out.begin_ms = begin / 60'000 * 60'000;
    end = std::min(end, kStart + clock.ms);
    out.steps = size_t(std::max<int64_t>(0, end - out.begin_ms)) / 60'000 + 1;
    const int64_t death = kStart + kHalvesFrom - 300'000;
    std::vector<bool> dead;
    for (size_t m = 0; m < 8; ++m) {
      if (halves() && m % 2 != reads % 2)
        continue;
      out.machines.push_back("node" + std::to_string(m));
      dead.push_back(died && m == 3);
      const int64_t newest = out.time_ms(out.steps - 1);
      out.newest_ms.push_back(dead.back() ? std::min(newest, death) : newest);
    }
    for (size_t step = 0; step < out.steps; ++step) {
      for (size_t m = 0; m < out.machines.size(); ++m) {
        const bool there = !dead[m] || out.time_ms(step) <= death;
        out.values.push_back(there ? 300 + float((step * 7 + m) % 11) : NAN);
      }
    }
    report.taken += out.values.size();
    return out;
  }
  // The first list after the hour lacks machine 3 alone and so passes for whole; then every other one names
  // it.
  std::optional<std::vector<Target>> targets() override {
    if (!knows_up)
      return std::nullopt;
    lists += halves();
    std::vector<Target> out;
    for (size_t m = 0; m < 8; ++m) {
      const bool lacks = lists == 1 ? m == 3 : lists > 1 && m % 2 != lists % 2;
      if (!lacks)
        out.push_back({"node" + std::to_string(m), m != 3});
    }
    return out;
  }
};

// Six machines at one sample a second; one stamps its samples behind from the start, or dies.
struct SkewedStore : DeadStore {
  const FakeClock& clock;
  int64_t behind_ms = 0;
  int64_t death_ms = INT64_MAX;
  double exposes = 0;  // samples of machine 2 after its death
  explicit SkewedStore(const FakeClock& c)
      : clock(c) {
  }
  std::optional<int64_t> now_ms() override {
    return kStart + clock.ms;
  }
  std::map<std::string, double> exposed(int64_t ago_ms) override {
    return {{"node2", kStart + clock.ms - ago_ms <= death_ms ? 32 : exposes}};
  }
  MetricSeries read(int64_t begin, int64_t end, int64_t, base::ReadReport& report) override {
    MetricSeries out;
    out.metrics = {"power"};
    out.begin_ms = begin / 1000 * 1000;
    out.steps = size_t(std::max<int64_t>(1000, std::min(end, kStart + clock.ms) - out.begin_ms)) / 1000;
    out.sample_gap_ms = 1000;
    const auto there = [&](size_t m, int64_t ms) {
      return m != 2 || ms <= std::min(kStart + clock.ms - behind_ms, death_ms);
    };
    for (size_t m = 0; m < 6; ++m) {
      const int64_t newest = out.time_ms(out.steps - 1);
      const int64_t own = m == 2 ? std::min({newest, kStart + clock.ms - behind_ms, death_ms}) : newest;
      if (own < out.begin_ms)
        continue;
      out.machines.push_back("node" + std::to_string(m));
      out.newest_ms.push_back(own);
    }
    for (size_t step = 0; step < out.steps; ++step)
      for (const std::string& name : out.machines)
        out.values.push_back(
            there(size_t(name.back() - '0'), out.time_ms(step)) ? 300 + float((step * 7) % 11) : NAN);
    report.taken += out.values.size();
    return out;
  }
};

double sample(const FleetWatch& watch, const std::string& name) {
  for (const FleetWatch::Sample& s : watch.samples()) {
    if (name == s.name)
      return s.value;
  }
  return -1;
}

// Six thousand machines at one sample a second. Notes the longest period that is read and answers only short
// ones.
struct WideStore : DeadStore {
  static constexpr size_t kMachines = 6000;
  int64_t longest_ms = 0;
  MetricSeries read(int64_t begin, int64_t end, int64_t, base::ReadReport&) override {
    longest_ms = std::max(longest_ms, end - begin);
    if (end - begin > 60'000)
      throw base::Error({"store"}, "too much for a test");
    MetricSeries out;
    out.metrics = {"power"};
    out.begin_ms = begin;
    out.steps = size_t(end - begin) / 1000;
    out.sample_gap_ms = 1000;
    for (size_t m = 0; m < kMachines; ++m)
      out.machines.push_back("node" + std::to_string(m));
    out.newest_ms.assign(kMachines, end - 1000);
    out.values.assign(out.steps * kMachines, 300);
    return out;
  }
};

struct Taker : AlertSink {
  std::vector<Alert> last;
  bool send(const std::vector<Alert>& alerts) override {
    last = alerts;
    return true;
  }
};

struct NoHooks : HookRunner {
  bool start(const HookCall&) override {
    return false;
  }
  std::vector<std::pair<std::string, int>> ended() override {
    return {};
  }
};

// What a watch of a store that never answers says within ten minutes.
std::vector<std::string> said(WatchLog log) {
  FakeClock clock;
  DeadStore store;
  Taker taker;
  NoHooks hooks;
  std::vector<std::string> lines;
  log.say = [&](const std::string& line) {
    lines.push_back(line);
  };
  WatchOptions options;
  options.job = "llm";
  FleetWatch watch({clock, store, taker, hooks}, log, options);
  for (; clock.ms < 600'000; clock.ms += 10'000)
    watch.step();
  EXPECT_TRUE(watch.blind());
  EXPECT_THAT(taker.last, SizeIs(testing::Le(1u)));
  return lines;
}

TEST(FleetWatch, AnAlertIsSaidOnceWithItsTimeAndSummary) {
  const std::vector<std::string> lines = said({});
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(lines[0], testing::MatchesRegex("2026-11-20T12:0[0-9]:[0-9.]+Z llm cannot be judged: .*"));
}

TEST(FleetWatch, OrAsTheLineThatIsWanted) {
  WatchLog log;
  log.line_of = [](int64_t ms, const Alert& alert) {
    return (alert.starts_ms == ms ? "begins " : "") + alert.labels.front().second;
  };
  EXPECT_THAT(said(log), ElementsAre("begins LentoBlind"));
}

TEST(FleetWatch, TheEndOfAnAlertIsALineWhereThatIsWanted) {
  FakeClock clock;
  RepairedStore store(clock);
  Taker taker;
  NoHooks hooks;
  std::vector<std::string> lines;
  WatchLog log;
  log.say_ends = true;
  log.say = [&](const std::string& line) {
    lines.push_back(line);
  };
  log.line_of = [](int64_t ms, const Alert& alert) {
    return (alert.ends_ms == ms ? "ends " : "begins ") + alert.labels.front().second;
  };
  FleetWatch watch({clock, store, taker, hooks}, log, {});
  for (; clock.ms < 900'000; clock.ms += 10'000)
    watch.step();
  EXPECT_FALSE(watch.blind());
  EXPECT_THAT(lines, ElementsAre("begins LentoBlind", "ends LentoBlind"));
}

TEST(FleetWatch, TheDiagnosisOfAWatchThatSeesNothingIsCannotJudge) {
  FakeClock clock;
  RepairedStore store(clock);
  store.ends_ms = 3'600'000;
  Taker taker;
  NoHooks hooks;
  FleetWatch watch({clock, store, taker, hooks}, {}, {});
  for (; clock.ms < store.ends_ms; clock.ms += 10'000)
    watch.step();
  const finding::Diagnosis before = watch.diagnosis();
  EXPECT_EQ(before.outcome, finding::Outcome::Healthy) << before.reason;
  for (; clock.ms < store.ends_ms + 300'000; clock.ms += 10'000)
    watch.step();
  const finding::Diagnosis after = watch.diagnosis();
  EXPECT_EQ(after.outcome, finding::Outcome::CannotJudge);
  EXPECT_THAT(after.reason, testing::HasSubstr("does not answer"));
  EXPECT_EQ(after.notes.at(0), "Before, the verdict was: " + before.verdict);
}

TEST(FleetWatch, TheFirstHourOfManyMachinesIsReadInPieces) {
  FakeClock clock;
  WideStore store;
  Taker taker;
  NoHooks hooks;
  FleetWatch watch({clock, store, taker, hooks}, {}, {});
  watch.step();
  EXPECT_GT(store.longest_ms, 600'000);
  EXPECT_LT(store.longest_ms, 3'000'000);
}

TEST(FleetWatch, HalvesThatMakeAWholeTogetherAreNoOutage) {
  FakeClock clock;
  HalvingStore store(clock);
  Taker taker;
  NoHooks hooks;
  FleetWatch watch({clock, store, taker, hooks}, {}, {});
  for (; clock.ms < HalvingStore::kHalvesFrom + 900'000; clock.ms += 5'000)
    watch.step();
  EXPECT_GT(sample(watch, "rows_total"), 14);
  EXPECT_EQ(sample(watch, "unanswered_rows_total"), 0);
  EXPECT_FALSE(watch.blind());
}

TEST(FleetWatch, WhomHalfAnAnswerNamesHasNotLeft) {
  FakeClock clock;
  HalvingStore store(clock);
  store.died = store.knows_up = true;
  Taker taker;
  NoHooks hooks;
  FleetWatch watch({clock, store, taker, hooks}, {}, {});
  for (; clock.ms < HalvingStore::kHalvesFrom + 230'000; clock.ms += 5'000)
    watch.step();
  EXPECT_EQ(sample(watch, "machines"), 8);
}

std::set<std::string> kinds_told(SkewedStore& store, FakeClock& clock) {
  Taker taker;
  NoHooks hooks;
  WatchOptions options;
  options.hook = true;
  std::set<std::string> kinds;
  FleetWatch watch({clock, store, taker, hooks}, {}, options);
  for (; clock.ms < 400'000; clock.ms += 5'000) {
    watch.step();
    for (const Alert& alert : taker.last)
      kinds.insert(alert.labels.front().second);
  }
  return kinds;
}

TEST(FleetWatch, AClockThatIsBehindIsNamedAndNotSilent) {
  FakeClock clock;
  SkewedStore store(clock);
  store.behind_ms = 90'000;
  EXPECT_THAT(kinds_told(store, clock), ElementsAre("LentoClockApart"));
}

TEST(FleetWatch, AMachineThatDiesIsSilentAndItsClockIsNotBlamed) {
  FakeClock clock;
  SkewedStore store(clock);
  store.death_ms = kStart + 150'000;
  store.exposes = 24;  // the exporter lives and lacks a GPU
  EXPECT_THAT(kinds_told(store, clock), ElementsAre("LentoSilentMachine"));
}

// Prometheus refuses samples that are older than the newest it has, for as long as a clock went back.
TEST(FleetWatch, AMachineWhoseSamplesTheStoreRefusesIsNotSilent) {
  FakeClock clock;
  SkewedStore store(clock);
  store.death_ms = kStart + 150'000;
  store.exposes = 32;
  EXPECT_THAT(kinds_told(store, clock), ElementsAre("LentoClockApart"));
}

// Twelve machines at four samples a minute for three hours; machine 7 loses an eighth of its power after two.
MetricSeries recorded() {
  MetricSeries s;
  s.metrics = {"power_w"};
  s.begin_ms = kStart;
  s.step_ms = s.sample_gap_ms = 15'000;
  s.steps = 720;
  for (int m = 0; m < 12; ++m)
    s.machines.push_back("node" + std::to_string(100 + m));
  s.labels.resize(12);
  base::Rng rng(4, "recorded");
  for (size_t step = 0; step < s.steps; ++step) {
    for (size_t m = 0; m < 12; ++m)
      s.values.push_back(float(rng.normal(700, 20) * (m == 7 && step >= 480 ? 0.875 : 1)));
  }
  return s;
}

TEST(FleetWatch, JudgesARecordAsTheScanOfItDoes) {
  const MetricSeries series = recorded();
  ScanOptions options;
  options.budget = {1, 30 * 86400.0};
  Scan scan({series.machines, series.labels, series.metrics, series.step_ms, 0}, options);
  for (size_t step = 0; step < series.steps; ++step)
    scan.push(series.time_ms(step), series.row(0, step));
  std::vector<std::string> expected;
  for (const Episode& e : scan.episodes()) {
    for (const Member& m : e.members)
      expected.push_back(rfc3339(m.raised_ms) + " " + series.machines[m.machine]);
  }
  ASSERT_THAT(expected, SizeIs(1));
  EXPECT_THAT(expected[0], testing::EndsWith("node107"));

  std::vector<std::string> said;
  WatchLog log;
  log.say = [&](const std::string& line) {
    said.push_back(line.substr(0, line.find(':', line.find('Z'))));
  };
  const finding::Diagnosis live = replay(series, log, {}, 10'000);
  EXPECT_EQ(said, expected);

  // The recorded period by itself: the same machine, since the same moment.
  const finding::Diagnosis d = fleet::scan(series, options);
  ASSERT_THAT(d.findings, SizeIs(1));
  EXPECT_EQ(d.findings[0].subject, "node107");
  ASSERT_THAT(live.findings, SizeIs(1));
  EXPECT_EQ(live.findings[0].subject, "node107");
  EXPECT_NEAR(live.findings[0].when->begin, d.findings[0].when->begin, 60);
}

// The same bytes again, and the same alerts from a watch that looks at other moments or comes later.
TEST(FleetWatch, AReplayGivesTheSameLinesAgain) {
  const MetricSeries series = recorded();
  const auto lines = [&](const MetricSeries& of, int64_t interval_ms) {
    std::string text;
    WatchLog log;
    log.say_ends = true;
    log.say = [&](const std::string& line) {
      text += line + "\n";
    };
    replay(of, log, {}, interval_ms);
    return text;
  };
  const std::string first = lines(series, 5000);
  EXPECT_THAT(first, testing::HasSubstr("node107: power_w has a mean of "));
  EXPECT_EQ(lines(series, 5000), first);
  EXPECT_EQ(lines(series, 60'000).substr(0, 20), first.substr(0, 20));
}

struct Happened : EventFeed {
  std::vector<MachineEvent> all;
  std::vector<MachineEvent> since(int64_t begin_ms) override {
    std::vector<MachineEvent> out;
    for (const MachineEvent& e : all) {
      if (e.time_ms >= begin_ms)
        out.push_back(e);
    }
    return out;
  }
};

TEST(FleetWatch, AnAlertNamesWhatHappenedOnItsMachine) {
  const MetricSeries series = recorded();
  const int64_t onset = series.time_ms(480);
  Happened happened;
  happened.all = {
      {"node107", onset - 3'600'000, "Xid 13"},  // long before
      {"node103", onset - 60'000, "Xid 79"},     // another machine
      {"node107.cluster", onset - 125'000, "Xid 63"}};
  std::string lines;
  WatchLog log;
  log.say = [&](const std::string& line) {
    lines += line + "\n";
  };
  WatchOptions options;
  options.events = &happened;
  replay(series, log, options, 5000);
  EXPECT_THAT(lines, testing::ContainsRegex("node107: power_w .*; Xid 63 .[0-9]+ (s|min) before."));
  EXPECT_THAT(lines, testing::Not(testing::HasSubstr("Xid 13")));
  EXPECT_THAT(lines, testing::Not(testing::HasSubstr("Xid 79")));
}

TEST(FleetWatch, AnErrorCodeAmongTheMetricsIsAnAlert) {
  MetricSeries series = recorded();
  series.metrics.push_back("DCGM_FI_DEV_XID_ERRORS");
  for (size_t t = 0; t < series.steps; ++t) {
    for (size_t m = 0; m < series.machines.size(); ++m)
      series.values.push_back(m == 1 && t >= 500 ? 79 : m == 2 && t >= 500 ? 43 : 0);
  }
  std::string lines;
  WatchLog log;
  log.say = [&](const std::string& line) {
    lines += line + "\n";
  };
  WatchOptions options;
  options.scan.xids = [](int64_t code) {
    return CodeMeaning{"fell off the bus", "replace it", code == 79};
  };
  replay(series, log, options, 5000);
  EXPECT_THAT(lines, testing::HasSubstr(series.machines[1] + ": Xid 79 (fell off the bus)"));
  EXPECT_THAT(lines, testing::Not(testing::HasSubstr("Xid 43")));
}

}  // namespace
}  // namespace lento::fleet
