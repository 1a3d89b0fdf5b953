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

// Returns the values of the scrape targets of the scrape jobs from which samples came, by machine. A target
// with samples stands for the machines in them, any other target for the machine that its labels name.
std::optional<std::vector<std::pair<std::string, double>>> PrometheusFeed::of_machines(
    const std::string& series,
    int64_t ago_ms) const {
  std::vector<std::pair<std::string, double>> out;
  const auto add = [&out](const std::string& machine, double value) {
    if (evidence::fault_of_name(machine) == evidence::NameFault::None)
      out.emplace_back(machine, value);
  };
  if (!series_ || series_->scraped().empty())
    return out;
  const auto& scraped = series_->scraped();
  std::set<std::string> jobs;
  for (const auto& [target, machines] : scraped)
    jobs.insert(target.job);
  std::vector<TargetSample> targets;
  try {
    targets = target_samples(store_, series, ago_ms);
  } catch (const base::Error&) {
    return std::nullopt;  // reading rows reports that the store is down
  }
  for (const TargetSample& t : targets) {
    if (!jobs.contains(t.target.job))
      continue;
    const auto known = scraped.find(t.target);
    if (known == scraped.end()) {
      add(t.machine, t.value);
      continue;
    }
    for (const std::string& machine : known->second)
      add(machine, t.value);
  }
  return out;
}

std::optional<std::vector<Target>> PrometheusFeed::targets() {
  const auto found = of_machines("up", 0);
  if (!found)
    return std::nullopt;
  std::vector<Target> out;
  for (const auto& [machine, up] : *found)
    out.push_back({machine, up > 0});
  return out;
}

std::map<std::string, double> PrometheusFeed::exposed(int64_t ago_ms) {
  std::map<std::string, double> out;
  const auto found = of_machines("scrape_samples_scraped", ago_ms);
  if (!found)
    return out;
  for (const auto& [machine, samples] : *found)
    out[machine] += samples;
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
