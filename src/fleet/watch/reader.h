// The reading part of a watch: reads rows (the samples of one time step) from the store, decides when a row
// is complete, and notes outages and delays.
//
// A row is pushed to the scan once every member of the job has a sample at or after it, or once later samples
// are not expected: after one step, the usual delay of samples and some slack. A failed or empty read does
// not count as silence of machines (fleet/scan/roll_call.h). Missed rows are read when the store is back.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "fleet/feed.h"
#include "fleet/watch/cadence.h"
#include "fleet/watch/clocks_apart.h"
#include "fleet/watch/judge.h"
#include "fleet/watch/members.h"
#include "fleet/watch/store_clock.h"
#include "fleet/watch/target_list.h"

namespace lento::fleet {

class StoreReader {
 public:
  struct Options {
    double step_s = 0;  // 0: estimated from the samples
    double forget_s = 1800;
    std::function<void(const std::string&)> note;
  };
  struct Counters {
    uint64_t pulls = 0;
    uint64_t failed = 0;
    uint64_t rows = 0;
    uint64_t unanswered = 0;
    uint64_t samples = 0;
    uint64_t skipped = 0;
  };
  // Times of the steady clock by which the watch decides whether the job can be judged now.
  struct Sight {
    int64_t started_ms = 0;
    int64_t answered_ms = INT64_MIN;  // last row with an answer
    int64_t outage_ms = INT64_MIN;    // last sign of an outage
    int64_t looked_ms = 0;            // last judgement
    std::string failure;              // error of the last read; "": none
  };

  // The arguments must outlive this object.
  StoreReader(const Clock& clock, Feed& feed, JobJudge& judge, Options options);

  void pull();  // reads new rows; never throws: failures are noted and the next call tries again

  Members& members() {
    return members_;
  }
  Cadence& cadence() {
    return cadence_;
  }
  const Cadence& cadence() const {
    return cadence_;
  }
  const StoreClock& clock() const {
    return clock_;
  }
  const TargetList& targets() const {
    return targets_;
  }
  const ClocksApart& clocks_apart() const {
    return apart_;
  }
  const Counters& counters() const {
    return counters_;
  }
  const Sight& sight() const {
    return sight_;
  }
  bool in_job(const std::string& machine) const {
    return members_.in_job(machine, targets_);
  }
  int64_t lag_ms() const;               // age of the newest row
  const MetricSeries& answer() const {  // the last response of the store
    return last_;
  }

 private:
  void survey();
  void read_rows();
  int64_t history_ms() const;
  int64_t piece_end(int64_t from_ms) const;
  MetricSeries read(int64_t from_ms);
  void start_rows();
  std::optional<int64_t> frontier(const MetricSeries& s) const;
  void push(const MetricSeries& s, int64_t until_ms);
  void keep_half(const MetricSeries& s);

  Feed& feed_;
  JobJudge& judge_;
  Options o_;
  StoreClock clock_;
  Cadence cadence_;
  TargetList targets_;
  Members members_;
  ClocksApart apart_;
  Counters counters_;
  Sight sight_;
  std::deque<MetricSeries> halves_;  // responses that lacked many members, with rows still to push
  MetricSeries last_;
  int64_t next_ms_ = INT64_MIN;  // first row that was not pushed
  int64_t back_ms_ = 0;          // steady time since which rows are later than the store's clock
};

}  // namespace lento::fleet
