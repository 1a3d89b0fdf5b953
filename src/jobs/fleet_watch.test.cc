#include "jobs/fleet_watch.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lento::jobs {
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
  trace::MetricSeries read(int64_t, int64_t, int64_t, base::ReadReport&) override {
    throw base::Error({"store"}, "does not answer");
  }
  std::optional<std::vector<Target>> targets() override {
    return std::nullopt;
  }
  std::optional<int64_t> now_ms() override {
    return std::nullopt;
  }
};

// Does not answer for five minutes, then has six machines that all do the same.
struct RepairedStore : DeadStore {
  const FakeClock& clock;
  explicit RepairedStore(const FakeClock& c)
      : clock(c) {
  }
  trace::MetricSeries read(int64_t begin, int64_t end, int64_t, base::ReadReport& report) override {
    if (clock.ms < 300'000)
      throw base::Error({"store"}, "does not answer");
    trace::MetricSeries out;
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

struct Taker : AlertSink {
  std::vector<fleet::Alert> last;
  bool send(const std::vector<fleet::Alert>& alerts) override {
    last = alerts;
    return true;
  }
};

struct NoHooks : HookRunner {
  bool start(const std::string&) override {
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
  log.line_of = [](int64_t ms, const fleet::Alert& alert) {
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
  log.line_of = [](int64_t ms, const fleet::Alert& alert) {
    return (alert.ends_ms == ms ? "ends " : "begins ") + alert.labels.front().second;
  };
  FleetWatch watch({clock, store, taker, hooks}, log, {});
  for (; clock.ms < 900'000; clock.ms += 10'000)
    watch.step();
  EXPECT_FALSE(watch.blind());
  EXPECT_THAT(lines, ElementsAre("begins LentoBlind", "ends LentoBlind"));
}

}  // namespace
}  // namespace lento::jobs
