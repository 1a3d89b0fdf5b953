// Pushes days of a simulated job through a watch. Machines fail one after another, and memory and processor
// time are measured beside what is named.
#include "lab/fleet/watch_soak.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "base/rng.h"
#include "base/units.h"
#include "fleet/watch/watch.h"
#include "lab/fleet/sim_store.h"

namespace lento::fleet {
namespace {

using base::format_number;

constexpr int64_t kMinute = 60'000;
constexpr int64_t kFaultLasts = 30 * kMinute;
constexpr int64_t kHoldOff = 10 * kMinute;  // an alert stays active so long after its fault

double cpu_now() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

double resident_mb() {
  std::ifstream in("/proc/self/statm");
  double total = 0;
  double resident = 0;
  in >> total >> resident;
  return resident * double(sysconf(_SC_PAGESIZE)) / 1e6;
}

// The store's own work is not the watch's.
class TimedStore : public Feed {
 public:
  explicit TimedStore(SimStore& store)
      : store_(store) {
  }
  std::string name() const override {
    return store_.name();
  }
  MetricSeries read(int64_t begin, int64_t end, int64_t grid_ms, base::ReadReport& report) override {
    const double start = cpu_now();
    MetricSeries s = store_.read(begin, end, grid_ms, report);
    spent_s += cpu_now() - start;
    return s;
  }
  std::optional<std::vector<Target>> targets() override {
    return store_.targets();
  }
  std::optional<int64_t> now_ms() override {
    return store_.now_ms();
  }
  double spent_s = 0;

 private:
  SimStore& store_;
};

struct Fault {
  std::string machine;
  Period when;
  bool silent = false;
};

// One after another over the whole time, none in the first hour or twelfth.
std::vector<Fault> plant(SimStore& store, const SoakOptions& o, int64_t span_ms, base::Rng& rng) {
  std::vector<Fault> out;
  if (o.faults == 0)
    return out;
  const int64_t first = std::min<int64_t>(60 * kMinute, span_ms / 12);
  const int64_t room = (span_ms - first) / o.faults;
  for (int i = 0; i < o.faults; ++i) {
    const int64_t slack = std::max<int64_t>(1, room - kFaultLasts - kHoldOff);
    const int64_t begin = kSimStart + first + i * room + int64_t(rng.below(uint64_t(slack)));
    SimMachine& m = store.machines[rng.below(store.machines.size())];
    const Period when{begin, begin + kFaultLasts};
    const bool silent = i % 2 == 1;
    (silent ? m.down : m.slow).push_back(when);
    out.push_back({m.name, when, silent});
  }
  return out;
}

std::string kind_of(const Fault& f) {
  if (f.silent)
    return "LentoSilentMachine";
  return "LentoDeviatingMachine";
}

void judge(
    const std::vector<Fault>& faults,
    const std::vector<Told>& told,
    const SoakOptions& o,
    SoakResult& r) {
  const auto bar = int64_t(240'000 + 4000 * o.step_s + 1000 * o.interval_s);
  r.planted = int(faults.size());
  for (const Fault& f : faults) {
    const auto at = std::ranges::find_if(told, [&](const Told& t) {
      return t.machine == f.machine && t.kind == kind_of(f) && t.at >= f.when.begin && t.at < f.when.end;
    });
    if (at == told.end())
      continue;
    r.delays_s.push_back(double(at->at - f.when.begin) / 1000);
    r.named += at->at - f.when.begin <= bar;
  }
  for (const Told& t : told) {
    const bool true_one = std::ranges::any_of(faults, [&](const Fault& f) {
      return t.machine == f.machine && t.at >= f.when.begin && t.at < f.when.end + kHoldOff;
    });
    r.false_ones += !true_one;
    r.story.push_back(
        std::to_string((t.at - kSimStart) / 1000) + " s: " + t.kind + " " + t.machine +
        (true_one ? "" : ", falsely"));
  }
}

}  // namespace

SoakResult run_soak(const SoakOptions& o, const base::Progress& progress) {
  base::Rng rng(o.seed, "soak");
  SimClock clock;
  SimStore store(clock, o.seed);
  store.step = int64_t(o.step_s * 1000);
  store.metrics = o.metrics;
  store.add_machines(o.machines, rng);
  const auto span = int64_t(o.hours * 3600e3);
  const std::vector<Fault> faults = plant(store, o, span, rng);
  TimedStore timed(store);
  SimAlerts alerts(clock);
  SimHooks hooks;
  WatchOptions options;
  FleetWatch watch({clock, timed, alerts, hooks}, {}, options);
  SoakResult r;
  const double start = cpu_now();
  const int64_t begin = clock.steady;
  for (; clock.steady < begin + span && !progress.stopped(); clock.steady += int64_t(o.interval_s * 1000)) {
    watch.step();
    if (r.early_mb == 0 && clock.steady >= begin + span / 12)
      r.early_mb = resident_mb();
  }
  r.late_mb = resident_mb();
  r.cpu_s = cpu_now() - start - timed.spent_s;
  r.job_s = double(clock.steady - begin) / 1000;
  judge(faults, alerts.told, o, r);
  return r;
}

finding::Diagnosis measure_soak(const SoakOptions& o, const base::Progress& progress) {
  const SoakResult r = run_soak(o, progress);
  finding::Diagnosis d;
  d.scale = "fleet";
  d.title = "A watch over " + format_number(r.job_s / 3600, 3) + " simulated hours";
  d.seed = o.seed;
  d.facts.emplace_back("machines", std::to_string(o.machines));
  d.facts.emplace_back("metrics", std::to_string(o.metrics));
  d.facts.emplace_back("scrapes every", format_number(o.step_s) + " s");
  d.facts.emplace_back("faults named in time", std::to_string(r.named) + " of " + std::to_string(r.planted));
  d.facts.emplace_back("false alerts", std::to_string(r.false_ones));
  for (const double delay : r.delays_s)
    d.facts.emplace_back("named after", format_number(delay) + " s");
  d.facts.emplace_back("resident after a twelfth", format_number(r.early_mb, 4) + " MB");
  d.facts.emplace_back("resident at the end", format_number(r.late_mb, 4) + " MB");
  d.facts.emplace_back("share of a core", format_number(100 * r.cpu_s / r.job_s, 3) + " %");
  d.notes = r.story;
  d.verdict = "Measured on a simulated store and clock.";
  return d;
}

}  // namespace lento::fleet
