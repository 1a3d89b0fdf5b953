// Before a machine is reported as silent, queries the store for its newest time stamp in the past. If that
// stamp advances, the machine is alive and only its clock is behind, so that its samples arrive after their
// rows were judged. If it does not advance while the exporter gives as many samples as before the silence,
// the store refuses them, as Prometheus does for as long as a clock went back.
#include "fleet/watch/clocks_apart.h"

#include <algorithm>

#include "base/error.h"

namespace lento::fleet {

bool ClocksApart::excuses(const std::string& machine) const {
  const auto at = behind_.find(machine);
  return at != behind_.end() && (at->second.arrives || at->second.open || at->second.refused);
}

void ClocksApart::look(
    Feed& feed,
    const Scan& scan,
    const Cadence& cadence,
    const StoreClock& clock,
    int64_t started_ms) {
  constexpr int64_t kAgain = 30'000;    // ms between queries for a machine that is alive
  constexpr int64_t kRarely = 300'000;  // ms between queries for a machine that seems dead
  const int64_t step = cadence.step_ms();
  const int64_t steady = clock.steady_ms();
  const int64_t now = clock.now_ms();
  const RollCall& roll = scan.roll();
  std::map<std::string, int64_t> silent;  // machine -> time of its last sample in a row
  bool due = false;
  for (size_t m = 0; m < scan.fleet().machines.size(); ++m) {
    if (!roll.silent(m))
      continue;
    const std::string& name = scan.fleet().machines[m];
    silent.emplace(name, roll.seen_ms(m));
    const auto known = behind_.find(name);
    const auto wait = [&](const Behind& b) {
      return b.open ? 2 * step : b.arrives || b.refused ? kAgain : kRarely;
    };
    due |= known == behind_.end() || steady - known->second.looked_ms >= wait(known->second);
  }
  std::erase_if(behind_, [&](const auto& entry) {
    return !silent.contains(entry.first);
  });
  if (!due)
    return;
  MetricSeries s;
  try {
    base::ReadReport ignored;
    s = feed.read(now - 4 * roll.limit_ms() - cadence.delay_ms(), now + step, step, ignored);
  } catch (const base::Error&) {
    return;  // the next read notes that the store is down
  }
  int64_t ago_ms = 0;  // all silent machines had samples then
  for (const auto& [name, seen_ms] : silent)
    ago_ms = std::max(ago_ms, now - seen_ms + step);
  const std::map<std::string, double> exposed = feed.exposed(0);
  const std::map<std::string, double> before = feed.exposed(ago_ms);
  for (const auto& [name, seen_ms] : silent) {
    const auto column = size_t(std::ranges::find(s.machines, name) - s.machines.begin());
    const int64_t newest = column < s.newest_ms.size() ? s.newest_ms[column] : INT64_MIN;
    Behind& b = behind_[name];
    const bool first = b.looked_ms == INT64_MIN;
    b.arrives = newest != INT64_MIN && (first ? newest > seen_ms + 2 * step : newest > b.newest_ms);
    b.open = first && !b.arrives && seen_ms < now - (steady - started_ms) - 2 * step;
    const auto samples = exposed.find(name);
    const auto usual = before.find(name);
    b.refused = !b.arrives && samples != exposed.end() && usual != before.end() && usual->second > 0 &&
                samples->second >= usual->second;
    b.newest_ms = newest;
    b.looked_ms = steady;
  }
}

}  // namespace lento::fleet
