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

}  // namespace
}  // namespace lento::jobs
