// Watches the collectives of a job, from growing logs of NCCL's Inspector, from its Prometheus pages, or
// from the mean durations that a store has of them. Judges them every few seconds, in addition to the
// metrics of the machines.
#pragma once

#include <string>
#include <vector>

#include "fleet/ranks_live.h"
#include "fleet/read/prometheus.h"

namespace lento::fleet {

// Returns a text such as "2 min" or "1.5 s" for alerts.
std::string seconds_text(int64_t ms);

struct RanksWatchOptions {
  // Files, folders and patterns of logs and Prometheus pages of NCCL's Inspector, or queries to the store,
  // which contain '{', such as nccl_collective_exec_time_microseconds{slurm_job_id="7"}.
  std::vector<std::string> sources;
  double every_s = 3;  // time between judgements; shorter times would judge mostly the same records
  double window_s = 120;
};

class RanksWatch {
 public:
  // Throws base::Error for a query without a store.
  RanksWatch(const RanksWatchOptions& options, const PrometheusOptions& store);
  RanksWatch(const RanksWatch&) = delete;
  RanksWatch& operator=(const RanksWatch&) = delete;

  // Judges again if enough time has passed: `every_s`, and longer when judging takes more than half of it. A
  // source that does not answer changes nothing.
  void step(int64_t steady_ms);

  std::vector<finding::Finding> standing() const {
    return live_.standing();
  }
  const finding::Diagnosis& diagnosis() const {
    return live_.diagnosis();
  }
  // Returns why the collectives cannot be judged now, or "" while they are judged and in the first two
  // minutes.
  std::string why_blind(int64_t steady_ms) const;

 private:
  RanksLiveOptions live_options(const RanksWatchOptions& options);
  std::vector<fleet::ranks::InspectorMean> ask() const;

  double every_s_;
  PrometheusOptions store_;
  std::vector<std::string> queries_;
  RanksLive live_;
  std::string failure_;
  int64_t next_ms_ = INT64_MIN;
  int64_t seen_ms_ = INT64_MIN;    // last poll with new records
  int64_t judged_ms_ = INT64_MIN;  // last judgement with enough records
};

// Joins the findings of metrics and of collectives on one job. Two findings about one machine become one with
// the evidence of both.
finding::Diagnosis join_ranks(finding::Diagnosis machines, const finding::Diagnosis& ranks);

}  // namespace lento::fleet
