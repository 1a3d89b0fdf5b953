// Reads a Prometheus-compatible store for a watch.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/feed.h"
#include "fleet/read/prometheus.h"
#include "fleet/source.h"

namespace lento::fleet {

class PrometheusFeed : public Feed {
 public:
  explicit PrometheusFeed(const FleetSource& source);

  std::string name() const override {
    return store_.url;
  }
  MetricSeries read(int64_t begin_ms, int64_t end_ms, int64_t step_ms, base::ReadReport& report) override;
  std::optional<std::vector<Target>> targets() override;
  std::map<std::string, double> exposed(int64_t ago_ms) override;
  std::optional<int64_t> now_ms() override;

  void reload(const FleetSource& source);  // credentials and tables of names

 private:
  std::optional<std::vector<std::pair<std::string, double>>> of_machines(
      const std::string& series,
      int64_t ago_ms) const;
  PrometheusOptions store_;
  std::optional<SeriesNames> series_;  // nullopt until the host names that the store holds were joined
};

}  // namespace lento::fleet
