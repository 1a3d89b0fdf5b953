// A recorded period as a store on a clock of its own, and a watch over it: a day in seconds. The same record
// and options give the same lines, byte for byte.
#pragma once

#include <cstdint>

#include "base/progress.h"
#include "fleet/feed.h"
#include "fleet/read/metric_series.h"
#include "fleet/watch/watch.h"

namespace lento::fleet {

// Answers with the samples up to the clock, which counts in the record's time. Machines without one in the
// period asked for are left out, as a store leaves them out. Series and clock outlive it.
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

// Runs a watch over the record, one step every `interval_ms` of its time. What it tells goes to the log. No
// hook is run. Throws base::Error for options that cannot be.
finding::Diagnosis replay(
    const MetricSeries& series,
    const WatchLog& log,
    const WatchOptions& options,
    int64_t interval_ms,
    const base::Progress& progress = {});

}  // namespace lento::fleet
