// Decides which machines are in the job: those that the store scrapes (series `up`, 0 or 1). In a store
// without `up`, a machine has left after a long time without samples.
#include "fleet/watch/members.h"

#include <algorithm>

#include "base/error.h"

namespace lento::fleet {
namespace {

constexpr size_t kMostMachines = 16'384;  // more names in total indicate an error of the store

}  // namespace

void Members::know(std::set<std::string> machines, std::set<std::string> metrics) {
  machines_ = std::move(machines);
  metrics_ = std::move(metrics);
}

bool Members::take(const MetricSeries& s, const TargetList& targets, const std::string& store) {
  const auto unknown = std::ranges::count_if(s.machines, [&](const std::string& m) {
    return !machines_.contains(m);
  });
  if (machines_.size() + size_t(unknown) > kMostMachines)
    throw base::Error(
        {store},
        "the store names over " + std::to_string(kMostMachines) + " machines",
        "choose the labels that name one with --machine-label, or the job with --match");
  bool fresh = false;
  for (const std::string& m : s.machines)
    fresh = machines_.insert(m).second || fresh;
  for (const std::string& k : s.metrics)
    fresh = metrics_.insert(k).second || fresh;
  for (const auto& [machine, up] : targets.up())
    fresh = machines_.insert(machine).second || fresh;
  for (size_t m = 0; m < s.labels.size(); ++m)
    labels_[s.machines[m]] = s.labels[m];
  return fresh;
}

void Members::named(const std::vector<std::string>& machines) {
  for (const std::string& machine : machines)
    missing_.erase(machine);
}

void Members::keep(Scan& scan, const TargetList& targets, const Cadence& cadence, const Moment& at) {
  const int64_t patience = std::max<int64_t>(30'000, 2 * cadence.step_ms());
  const ScanFleet& f = scan.fleet();
  const RollCall& roll = scan.roll();
  for (size_t m = 0; m < f.machines.size(); ++m) {
    const std::string& name = f.machines[m];
    if (roll.member(m))
      left_.erase(name);
    if (targets.known() && targets.up().contains(name)) {
      missing_.erase(name);
      left_.erase(name);
      if (!roll.member(m))
        scan.join(m);
    } else if (targets.known()) {
      const int64_t since = missing_.try_emplace(name, at.steady_ms).first->second;
      const int64_t newest = cadence.newest_ms(name);
      const bool quiet =
          newest == INT64_MIN || at.now_ms - newest > 2 * cadence.step_ms() + cadence.delay_ms();
      if (quiet && targets.whole_ms() - since >= patience)
        left_.insert(name);
    } else if (roll.member(m) && roll.quiet_for_ms(m) > forget_ms_) {
      left_.insert(name);
    }
    if (left_.contains(name) && roll.member(m))
      scan.leave(m);
  }
}

void Members::forget_left(Cadence& cadence) {
  for (const std::string& machine : left_) {
    machines_.erase(machine);
    labels_.erase(machine);
    missing_.erase(machine);
    cadence.forget(machine);
  }
  left_.clear();
}

ScanFleet Members::fleet(int64_t step_ms) const {
  ScanFleet f;
  f.machines.assign(machines_.begin(), machines_.end());
  f.metrics.assign(metrics_.begin(), metrics_.end());
  f.step_ms = step_ms;
  for (const std::string& name : f.machines) {
    const auto labels = labels_.find(name);
    f.labels.push_back(labels == labels_.end() ? Labels{} : labels->second);
  }
  return f;
}

}  // namespace lento::fleet
