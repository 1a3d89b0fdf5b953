// Runs a watch over a recorded period, which replaces store and clock, so that a day takes seconds. The same
// record and options give the same lines, byte for byte.
#pragma once

#include <cstdint>

#include "base/progress.h"
#include "fleet/feed.h"
#include "fleet/read/metric_series.h"
#include "fleet/watch/watch.h"

namespace lento::fleet {

// Returns the recorded samples up to the time of `clock`, which runs in the record's time. Machines without a
// sample in the requested period are left out, as a store does. Series and clock must outlive this object.
class ReplayStore : public Feed {
 public:
  ReplayStore(const MetricSeries& series, const Clock& clock)
      : series_(series),
        clock_(clock) {
  }
  std::string name() const override {
    return "record";
  }
  MetricSeries read(int64_t begin_ms, int64_t end_ms, int64_t step_ms, base::ReadReport& report) override;
  std::optional<std::vector<Target>> targets() override {
    return std::vector<Target>{};
  }
  std::optional<int64_t> now_ms() override {
    return clock_.steady_ms();
  }

 private:
  const MetricSeries& series_;
  const Clock& clock_;
};

// Runs a watch over the record, one step for every `interval_ms` of its time. Messages go to the log. No
// hook is run. Throws base::Error for invalid options.
finding::Diagnosis replay(
    const MetricSeries& series,
    const WatchLog& log,
    const WatchOptions& options,
    int64_t interval_ms,
    const base::Progress& progress = {});

}  // namespace lento::fleet
