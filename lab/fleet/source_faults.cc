// Plants outages, late scrapes, renames and clocks that differ in a simulated store, with slow and silent
// machines around them, and holds the alerts of a watch against the truth of each case.
#include "lab/fleet/source_faults.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/units.h"
#include "fleet/watch/watch.h"
#include "lab/fleet/sim_store.h"

namespace lento::fleet {
namespace {

struct Planted {
  std::string machine;
  bool silent;
  int64_t at;
};

// One case: the store, the troubles and what is planted, all drawn from the seed.
class Case {
 public:
  explicit Case(const FaultCase& c)
      : c_(c),
        rng_(c.seed, "case", c.index),
        store_(clock_, c.seed * 7919 + c.index),
        alerts_(clock_) {
    store_.step = c.step_s * 1000;
    store_.knows_up = c.knows_up;
    folder_ =
        (std::filesystem::temp_directory_path() / ("lento_case_" + std::to_string(::getpid()) + "_" +
                                                   std::to_string(c.seed) + "_" + std::to_string(c.index)))
            .string();
    std::filesystem::create_directories(folder_);
    make_machines();
    make_trouble();
    plant();
    start_watch();
  }
  ~Case() {
    watch_.reset();
    std::filesystem::remove_all(folder_);
  }

  CaseResult run() {
    const int64_t end = last_ + bar(last_) + 120'000;
    while (clock_.steady < end) {
      if (restart_ && clock_.steady >= *restart_) {
        watch_.reset();  // killed: nothing is saved
        restart_.reset();
        start_watch();
      }
      if (jump_ && clock_.steady >= jump_->first) {
        clock_.jump += jump_->second;
        jump_.reset();
      }
      watch_->step();
      clock_.steady += interval_;
    }
    return judge();
  }

 private:
  static constexpr int64_t kMinute = 60'000;

  int64_t between(int64_t low, int64_t high) {
    return low + int64_t(rng_.uniform(0, 1) * double(high - low));
  }

  void make_machines() {
    const size_t n = 8 + rng_.below(17);
    store_.add_machines(n, rng_);
    warm_ = kSimStart + std::max<int64_t>(20 * kMinute, 30 * store_.step);
  }

  void make_trouble() {
    trouble_at_ = warm_ + between(0, 5 * kMinute);
    SimMachine& one = store_.machines[1];
    switch (c_.trouble) {
      case Trouble::Outage:
        store_.outage = {trouble_at_, trouble_at_ + between(30'000, 400'000)};
        break;
      case Trouble::Delay:
        store_.delay = between(5'000, 90'000);
        break;
      case Trouble::HalfAnswers:
        store_.halves = {trouble_at_, trouble_at_ + between(30'000, 300'000)};
        break;
      case Trouble::Restart:
        restart_ = trouble_at_;
        break;
      case Trouble::ClockStep:
        jump_ = {trouble_at_, between(0, 2) ? between(5'000, 3'600'000) : -between(5'000, 3'600'000)};
        break;
      case Trouble::Renamed: {
        std::vector<SimMachine> others = store_.machines;
        for (SimMachine& m : store_.machines)
          m.present.end = trouble_at_;
        for (SimMachine& m : others) {
          m.name = "new-" + m.name;
          m.present.begin = trouble_at_;
          store_.machines.push_back(m);
        }
        break;
      }
      case Trouble::Replaced: {
        SimMachine fresh = one;
        one.present.end = trouble_at_;
        fresh.name = "spare";
        fresh.present.begin = trouble_at_ + between(0, 60'000);
        store_.machines.push_back(fresh);
        break;
      }
      case Trouble::Added: {
        SimMachine fresh = one;
        fresh.name = "more";
        fresh.present.begin = trouble_at_;
        store_.machines.push_back(fresh);
        break;
      }
      case Trouble::Removed:
        one.present.end = trouble_at_;
        break;
      case Trouble::Flapping: {
        const int64_t period = between(60'000, 300'000);
        for (int i = 0; i < 10; ++i)
          one.down.push_back({trouble_at_ + i * period, trouble_at_ + i * period + period / 2});
        flapping_ = one.name;
        break;
      }
      case Trouble::None:
        break;
    }
  }

  // A slow one and a silent one, each at a moment of its own around the trouble.
  void plant() {
    const bool renamed = c_.trouble == Trouble::Renamed;
    const size_t names = renamed ? store_.machines.size() / 2 : 0;
    const int64_t low =
        renamed ? trouble_at_ + std::max<int64_t>(10 * kMinute, 20 * store_.step) : trouble_at_ - 5 * kMinute;
    last_ = trouble_at_;
    if (rng_.below(4)) {
      SimMachine& m = store_.machines[names + 2 + rng_.below(3)];
      const int64_t from = between(low, trouble_at_ + 15 * kMinute + (renamed ? 20 * store_.step : 0));
      m.slow.push_back({from, INT64_MAX});
      planted_.push_back({m.name, false, from});
    }
    if (rng_.below(4)) {
      const bool spare = c_.trouble == Trouble::Replaced && rng_.below(2);
      SimMachine& m = spare ? store_.machines.back() : store_.machines[names + 5 + rng_.below(3)];
      const int64_t from = spare ? trouble_at_ + 8 * kMinute : low;
      const int64_t at = between(from, from + 15 * kMinute);
      m.down.push_back({at, INT64_MAX});
      planted_.push_back({m.name, true, at});
    }
    for (const Planted& p : planted_)
      last_ = std::max(last_, p.at);
    if (store_.outage.end != INT64_MAX)
      last_ = std::max(last_, store_.outage.end);
    if (!flapping_.empty())
      last_ = std::max(last_, trouble_at_ + 50 * kMinute);
  }

  void start_watch() {
    WatchOptions o;
    o.state = folder_ + "/state.json";
    o.hook = o.hook_live = true;
    o.hook_per_hour = 100;
    watch_ = std::make_unique<FleetWatch>(WatchWorld{clock_, store_, alerts_, hooks_}, WatchLog{}, o);
  }

  // The time that an alert may take: 240 s, four scrapes and the source's delay, without that of an outage.
  int64_t bar(int64_t at) const {
    int64_t out = 240'000 + 4 * store_.step + store_.delay;
    for (const Period& p : {store_.outage, store_.halves}) {
      if (p.end != INT64_MAX && p.end > at)
        out += p.end - std::max(p.begin, at);
    }
    return out + interval_;
  }

  CaseResult judge() {
    CaseResult r;
    std::set<std::string> silent;
    std::set<std::string> bad;
    for (const Planted& p : planted_) {
      bad.insert(p.machine);
      if (p.silent)
        silent.insert(p.machine);
      ++r.planted;
      const std::string kind = p.silent ? "LentoSilentMachine" : "LentoDeviatingMachine";
      std::optional<int64_t> at;
      for (const Told& t : alerts_.told) {
        if (t.kind == kind && t.machine == p.machine && t.at >= p.at && !at)
          at = t.at;
      }
      if (at && *at - p.at <= bar(p.at))
        ++r.named;
      const double left = at ? double(bar(p.at) - (*at - p.at)) / 1000 : -1e9;
      r.margin_s.push_back(left);
      r.story.push_back(
          kind + " " + p.machine + " planted at " + at_text(p.at) +
          (at ? ", told after " + std::to_string((*at - p.at) / 1000) + " s" : ", never told") + ", bar " +
          std::to_string(bar(p.at) / 1000) + " s");
    }
    for (const Told& t : alerts_.told) {
      r.story.push_back(at_text(t.at) + " " + t.kind + " " + t.machine);
      if (t.kind == "LentoSilentMachine" && t.machine == flapping_) {
        ++r.flap_alerts;
      } else if (t.kind == "LentoSilentMachine" && !silent.contains(t.machine)) {
        ++r.false_silent;
      } else if (t.kind == "LentoDeviatingMachine" && !bad.contains(t.machine)) {
        ++r.false_deviating;
      }
    }
    std::map<std::string, int> ran;
    for (const std::string& m : hooks_.ran) {
      if (!bad.contains(m) && m != flapping_)
        ++r.false_hooks;
      if (++ran[m] > 1)
        ++r.doubled_hooks;
      r.story.push_back("hook " + m);
    }
    judge_blindness(r);
    return r;
  }

  void judge_blindness(CaseResult& r) const {
    const int64_t limit = std::max<int64_t>(120'000, 4 * store_.step) + interval_;
    if (store_.outage.end == INT64_MAX || store_.outage.end - store_.outage.begin < limit + 10'000)
      return;
    ++r.blind_wanted;
    for (const Told& t : alerts_.told) {
      if (t.kind != "LentoBlind" || t.at < store_.outage.begin)
        continue;
      r.blind_told += t.at <= store_.outage.begin + limit;
      return;
    }
  }

  std::string at_text(int64_t t) const {
    return std::to_string((t - trouble_at_) / 1000) + " s";
  }

  FaultCase c_;
  base::Rng rng_;
  SimClock clock_;
  SimStore store_;
  SimAlerts alerts_;
  SimHooks hooks_;
  std::string folder_;
  std::string flapping_;
  std::unique_ptr<FleetWatch> watch_;
  std::vector<Planted> planted_;
  int64_t warm_ = 0;
  int64_t trouble_at_ = 0;
  int64_t last_ = 0;
  int64_t interval_ = 5000;
  std::optional<int64_t> restart_;
  std::optional<std::pair<int64_t, int64_t>> jump_;
};

}  // namespace

const char* name(Trouble trouble) {
  constexpr std::array<const char*, kTroubles> names{
      "none",
      "outage",
      "delay",
      "half answers",
      "restart",
      "clock step",
      "renamed",
      "replaced",
      "added",
      "removed",
      "flapping"};
  return names[size_t(trouble)];
}

FaultCase fault_case(uint64_t seed, uint64_t index) {
  constexpr std::array<int, 5> steps{1, 10, 15, 30, 60};
  FaultCase c;
  c.seed = seed;
  c.index = index;
  c.step_s = steps[index % steps.size()];
  c.trouble = static_cast<Trouble>(index / steps.size() % kTroubles);
  return c;
}

CaseResult run_case(const FaultCase& c) {
  return Case(c).run();
}

finding::TableFigure
measure_source_faults(uint64_t seed, uint64_t cases, unsigned threads, const base::Progress& progress) {
  std::vector<CaseResult> results(cases);
  base::parallel_for(cases, threads, [&](size_t i) {
    if (!progress.stopped())
      results[i] = run_case(fault_case(seed, i));
  });
  finding::TableFigure table;
  table.columns = {
      "trouble",
      "cases",
      "false silent",
      "false deviating",
      "hooks without a fault",
      "hooks doubled",
      "named in time",
      "blindness in time",
      "alerts a flapping target"};
  CaseResult all;
  uint64_t flapped = 0;
  const auto row = [&](const std::string& what, const CaseResult& r, uint64_t n, uint64_t flaps) {
    table.rows.push_back(
        {what,
         std::to_string(n),
         std::to_string(r.false_silent),
         std::to_string(r.false_deviating),
         std::to_string(r.false_hooks),
         std::to_string(r.doubled_hooks),
         std::to_string(r.named) + "/" + std::to_string(r.planted),
         std::to_string(r.blind_told) + "/" + std::to_string(r.blind_wanted),
         flaps ? base::format_number(double(r.flap_alerts) / double(flaps), 3) : ""});
  };
  const auto add = [](CaseResult& to, const CaseResult& r) {
    to.false_silent += r.false_silent;
    to.false_deviating += r.false_deviating;
    to.false_hooks += r.false_hooks;
    to.doubled_hooks += r.doubled_hooks;
    to.planted += r.planted;
    to.named += r.named;
    to.blind_wanted += r.blind_wanted;
    to.blind_told += r.blind_told;
    to.flap_alerts += r.flap_alerts;
  };
  for (int t = 0; t < kTroubles; ++t) {
    CaseResult sum;
    uint64_t n = 0;
    for (uint64_t i = 0; i < cases; ++i) {
      if (fault_case(seed, i).trouble != static_cast<Trouble>(t))
        continue;
      add(sum, results[i]);
      ++n;
    }
    const uint64_t flaps = static_cast<Trouble>(t) == Trouble::Flapping ? n : 0;
    flapped += flaps;
    if (n)
      row(name(static_cast<Trouble>(t)), sum, n, flaps);
    add(all, sum);
  }
  row("all", all, cases, flapped);
  return table;
}

}  // namespace lento::fleet
