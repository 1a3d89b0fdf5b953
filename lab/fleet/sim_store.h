// A store of metrics that exists by formula, on a clock that a test moves, so that a FleetWatch runs without
// waiting. Machines of one job hold one metric, `power`. They can be slow (-15 %), silent, absent.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "fleet/feed.h"

namespace lento::fleet {

inline constexpr int64_t kSimStart = 1'700'000'000'000;  // ms

struct Period {
  int64_t begin = INT64_MAX;
  int64_t end = INT64_MAX;
  bool holds(int64_t t) const {
    return t >= begin && t < end;
  }
};

struct SimMachine {
  std::string name;
  double offset = 1;             // lasting difference from its peers
  int64_t phase = 0;             // of its scrapes, ms
  Period present{0, INT64_MAX};  // in the job
  std::vector<Period> down;      // no samples, `up` is 0
  std::vector<Period> slow;      // -15 %
};

class SimClock : public Clock {
 public:
  int64_t steady_ms() const override {
    return steady;
  }
  int64_t wall_ms() const override {
    return steady + jump;
  }
  int64_t steady = kSimStart;
  int64_t jump = 0;
};

class SimStore : public Feed {
 public:
  SimStore(const SimClock& clock, uint64_t seed)
      : clock_(clock),
        seed_(seed) {
  }

  std::string name() const override {
    return "simulated";
  }
  MetricSeries read(int64_t begin, int64_t end, int64_t grid_ms, base::ReadReport& report) override;
  std::optional<std::vector<Target>> targets() override;
  std::optional<int64_t> now_ms() override;

  // `count` machines n10, n11 ... with offsets and phases drawn.
  void add_machines(size_t count, base::Rng& rng);

  std::vector<SimMachine> machines;
  Period outage;      // does not answer, takes no samples
  Period halves;      // answers with a random half
  int64_t delay = 0;  // ms until a sample can be read
  int64_t step = 1000;
  int metrics = 1;  // all alike: power, power1, power2 ...
  bool knows_up = true;

 private:
  void add(SeriesBuilder& builder, const SimMachine& m, int64_t begin, int64_t end) const;

  const SimClock& clock_;
  uint64_t seed_;
};

struct Told {
  int64_t at = 0;
  std::string kind;  // the alert's name
  std::string machine;
};
Told told_by(const Alert& alert, int64_t now_ms);

// A firing alert that was resolved or is new counts once.
class SimAlerts : public AlertSink {
 public:
  explicit SimAlerts(const SimClock& clock)
      : clock_(clock) {
  }
  bool send(const std::vector<Alert>& alerts) override;
  std::vector<Told> told;

 private:
  const SimClock& clock_;
  std::set<std::pair<std::string, std::string>> firing_;
};

class SimHooks : public HookRunner {
 public:
  bool start(const HookCall& call) override {
    ran.push_back(call.machine);
    ended_.emplace_back(call.machine, 0);
    return true;
  }
  std::vector<std::pair<std::string, int>> ended() override {
    return std::exchange(ended_, {});
  }
  std::vector<std::string> ran;

 private:
  std::vector<std::pair<std::string, int>> ended_;
};

}  // namespace lento::fleet
