// Answers the queries of a watch by formula, with gaps, late scrapes and outages as they were planted. The
// clock moves only when a test moves it, so that days pass in seconds.
#include "lab/fleet/sim_store.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace lento::fleet {
namespace {

using base::Rng;

constexpr double kNoise = 0.02;    // of a sample
constexpr double kOffset = 0.007;  // lasting differences of machines, as recorded of 64 training nodes
constexpr double kLoss = 0.85;     // what a slow machine still does

bool within(const std::vector<Period>& periods, int64_t t) {
  return std::ranges::any_of(periods, [&](const Period& p) {
    return p.holds(t);
  });
}

}  // namespace

MetricSeries SimStore::read(int64_t begin, int64_t end, int64_t grid_ms, base::ReadReport& report) {
  const int64_t now = clock_.steady;
  if (outage.holds(now))
    throw base::Error({"simulated"}, "the store is away");
  SeriesBuilder builder(report);
  Rng half(seed_, "half", uint64_t(now));
  for (const SimMachine& m : machines) {
    if (halves.holds(now) && half.below(2))
      continue;
    add(builder, m, begin, std::min(end, now - delay));
  }
  GridOptions grid;
  grid.step_ms = grid_ms;
  if (grid_ms > 0)
    grid.begin_ms = begin / grid_ms * grid_ms;
  return builder.build(grid, {"simulated"});
}

std::optional<std::vector<Target>> SimStore::targets() {
  const int64_t now = clock_.steady;
  if (outage.holds(now))
    return std::nullopt;
  std::vector<Target> out;
  if (!knows_up)
    return out;
  Rng half(seed_, "half.up", uint64_t(now));
  for (const SimMachine& m : machines) {
    if (halves.holds(now) && half.below(2))
      continue;
    if (m.present.holds(now))
      out.push_back({m.name, !within(m.down, now)});
  }
  return out;
}

std::optional<int64_t> SimStore::now_ms() {
  if (outage.holds(clock_.steady))
    throw base::Error({"simulated"}, "the store is away");
  return clock_.steady;
}

void SimStore::add_machines(size_t count, Rng& rng) {
  for (size_t i = 0; i < count; ++i) {
    SimMachine m;
    m.name = "n" + std::to_string(10 + i);
    m.offset = 1 + rng.normal(0, kOffset);
    m.phase = int64_t(rng.uniform(0, 1) * double(step));
    m.present.begin = kSimStart - 3'600'000;
    machines.push_back(std::move(m));
  }
}

void SimStore::add(SeriesBuilder& builder, const SimMachine& m, int64_t begin, int64_t end) const {
  const uint32_t machine = builder.machine(m.name);
  for (int k = 0; k < metrics; ++k) {
    const uint32_t metric = builder.metric(k == 0 ? "power" : "power" + std::to_string(k));
    const int64_t first = (begin - kSimStart) / step - 1;
    for (int64_t i = first; kSimStart + i * step + m.phase <= end; ++i) {
      const int64_t t = kSimStart + i * step + m.phase;
      if (t < begin || !m.present.holds(t) || within(m.down, t) || outage.holds(t))
        continue;
      Rng rng(seed_ + uint64_t(k), m.name, uint64_t(i + 1'000'000));
      const double wave = 100 + 5 * std::sin(double(t / 1000) / 40);
      const double value = wave * m.offset * (1 + rng.normal(0, kNoise)) * (within(m.slow, t) ? kLoss : 1);
      builder.add({metric, machine, 0}, t, value, {});
    }
  }
}

Told told_by(const Alert& alert, int64_t now_ms) {
  Told told;
  told.at = now_ms;
  for (const auto& [label, value] : alert.labels) {
    if (label == "alertname")
      told.kind = value;
    if (label == "machine")
      told.machine = value;
  }
  return told;
}

bool SimAlerts::send(const std::vector<Alert>& alerts) {
  for (const Alert& a : alerts) {
    Told one = told_by(a, clock_.steady);
    const std::pair<std::string, std::string> key{one.kind, one.machine};
    const bool firing = a.ends_ms > clock_.steady;
    const bool fresh = firing && !firing_.contains(key);
    if (firing)
      firing_.insert(key);
    else
      firing_.erase(key);
    if (fresh)
      told.push_back(std::move(one));
  }
  return true;
}

}  // namespace lento::fleet
