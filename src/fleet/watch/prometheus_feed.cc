// Reads rows, scrape targets and the clock of a Prometheus-compatible store for a watch.
#include "fleet/watch/prometheus_feed.h"

#include "base/error.h"
#include "evidence/names.h"

namespace lento::fleet {

PrometheusFeed::PrometheusFeed(const FleetSource& source)
    : store_(prometheus_of(source)) {
  store_.http.limits.max_bytes = uint64_t{256} << 20;
}

void PrometheusFeed::reload(const FleetSource& source) {
  *this = PrometheusFeed(source);
}

MetricSeries
PrometheusFeed::read(int64_t begin_ms, int64_t end_ms, int64_t step_ms, base::ReadReport& report) {
  if (!series_) {
    join_names(store_);
    series_ = series_names(store_);
  }
  PrometheusOptions o = store_;
  o.grid.whole = false;  // a machine may come or go within a pull
  if (step_ms > 0) {
    o.grid.step_ms = step_ms;
    o.grid.begin_ms = begin_ms / step_ms * step_ms;
  }
  o.series = &*series_;
  return read_prometheus(o, begin_ms, end_ms, report);
}

// Returns the scrape targets, with `up`, of the scrape jobs from which samples came. A target with samples
// stands for the machines in them, any other target for the machine that its labels name.
std::optional<std::vector<Target>> PrometheusFeed::targets() {
  std::vector<Target> out;
  const auto add = [&out](const std::string& machine, bool up) {
    if (evidence::fault_of_name(machine) == evidence::NameFault::None)
      out.push_back({machine, up});
  };
  if (!series_ || series_->scraped().empty())
    return out;
  const auto& scraped = series_->scraped();
  std::set<std::string> jobs;
  for (const auto& [target, machines] : scraped)
    jobs.insert(target.job);
  std::vector<UpTarget> targets;
  try {
    targets = up_targets(store_);
  } catch (const base::Error&) {
    return std::nullopt;  // reading rows reports that the store is down
  }
  for (const UpTarget& t : targets) {
    if (!jobs.contains(t.target.job))
      continue;
    const auto known = scraped.find(t.target);
    if (known == scraped.end()) {
      add(t.machine, t.up);
      continue;
    }
    for (const std::string& machine : known->second)
      add(machine, t.up);
  }
  return out;
}

std::optional<int64_t> PrometheusFeed::now_ms() {
  try {
    return store_now_ms(store_);
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

}  // namespace lento::fleet
