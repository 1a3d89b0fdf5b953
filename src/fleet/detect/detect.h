// Which machine of a training job is slow, faulty or silent?
//
//   MetricSeries -> diagnose -> Diagnosis          a recorded period
//   rows         -> Detector -> verdicts           a live job, one row a step, bounded memory
//
// diagnose() feeds the rows to a Detector, so a replayed period gives the verdicts the live run gave.
// The default mode is ours (level_track.h); the method of the Minder paper is in minder.h.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/progress.h"
#include "finding/finding.h"
#include "fleet/read/metric_series.h"
#include "fleet/scan/roll_call.h"

namespace lento::fleet {

struct DetectOptions {
  std::vector<std::string> metrics;  // judged, in order of priority; empty: all
  std::vector<std::string> group_by{"stage", "pp_rank", "hardware"};  // labels whose values separate peers
  size_t min_peers = 4;                                               // smaller groups are not judged
  std::vector<double> horizons_s{140, 280, 560};
  double false_alarms_per_day = 0.1;  // budget of the whole job
  double tail_factor = 1.0;           // widens the normal law's threshold (docs/methods/fleet.md: why 1)
  double startup_s = 30;              // not judged after the first sample of the job
  double silence_s =
      60;  // a machine without any sample for so long (four steps at least), while peers report
  double same_cause_share = 0.4;                   // weaker deviations of the same metric are "also affected"
  std::optional<int64_t> judge_from_ms;            // earlier rows are only history
  bool keep_history = true;                        // scores and bands for figures
  std::vector<finding::Expectation> expectations;  // predict's numbers, compared with the fleet's median
  std::string expected_metric = "step_time_s";     // the metric that an Expectation of a step speaks of
};

struct MetricScore {
  size_t metric = 0;
  double score = 0;  // peak
  // at the peak
  double deviation = 0;
  double level = 0;
  double peers = 0;
  double threshold = 0;
};

struct Verdict {
  size_t machine = 0;
  bool silent = false;  // else: its metrics differ from the peers'
  bool active = true;
  int64_t onset_ms = 0;               // estimated start
  int64_t raised_ms = 0;              // when it was first named
  int64_t last_ms = 0;                // last time the deviation was confirmed
  double score = 0;                   // peak deviation over threshold
  double horizon_s = 0;               // of the window that raised it
  std::vector<MetricScore> metrics;   // abnormal metrics, by falling peak score
  std::vector<size_t> also_affected;  // machines with a weaker deviation of the same metrics
};

// Scores, levels and peer bands over time for figures: at most 512 columns (of a large fleet
// fewer), neighbours merged when full.
struct ScoreHistory {
  std::vector<int64_t> time_ms;
  std::vector<std::vector<float>> score;  // [column][metric * machines + machine]: largest of the horizons
  std::vector<std::vector<float>> level;  // of the shortest horizon
  // [column][metric * groups + group]
  std::vector<std::vector<float>> low;
  std::vector<std::vector<float>> median;
  std::vector<std::vector<float>> high;
};

struct Fleet {
  std::vector<std::string> machines;
  std::vector<Labels> labels;
  std::vector<std::string> metrics;
  int64_t step_ms = 1000;
};

// What was looked at, since options.judge_from_ms.
struct Coverage {
  int64_t begin_ms = 0;
  int64_t end_ms = 0;
  uint64_t rows = 0;     // that held something or not
  uint64_t samples = 0;  // of rows x machines x metrics
  uint64_t looks = 0;    // judgements of a machine by a metric and a window
};

// What a fault must show to be named: a deviation of this metric that lasts for a window. Medians over the
// looks so far, of the group of peers that shows least.
struct Reach {
  size_t metric = 0;
  double window_s = 0;
  double deviation = 0;  // in the metric's unit
  double level = 0;      // of the peers, without its sign
  double share() const {
    return level > 0 ? deviation / level : std::numeric_limits<double>::infinity();
  }
};

// Machines of one group that deviated in a metric at once, too many for faults of their own: the job changed,
// or something that they share is ill. No verdict.
struct Together {
  size_t metric = 0;
  std::vector<size_t> machines;
  int64_t begin_ms = 0;
  int64_t end_ms = 0;
};

class Detector {
 public:
  Detector(Fleet fleet, DetectOptions options);
  ~Detector();
  Detector(Detector&&) noexcept;

  // One step: values[metric * machines + machine], NaN where missing. Times must rise by step_ms.
  void push(int64_t time_ms, std::span<const float> values);

  // For a live job: a sample that came too late for its row; a machine that is no longer, or already, part of
  // the job, whatever its samples say.
  void heard(size_t machine, int64_t time_ms);
  void leave(size_t machine);
  void join(size_t machine);

  const Fleet& fleet() const;
  const std::vector<Verdict>& verdicts() const;  // in order of raising; resolved ones have active = false
  void forget_resolved(int64_t before_ms);       // bounds the list in long runs
  const ScoreHistory& history() const;
  const RollCall& roll() const;
  const Coverage& coverage() const;
  double needed_s() const;           // of rows, before the first window is judged
  size_t together_now() const;       // how many machines do so at this moment, and have for a shortest window
  const Together& together() const;  // that lasted longest, a shortest window at least; else without machines
  std::vector<Reach> reach() const;  // of each judged metric its most sensitive window, the finest first
  std::vector<std::vector<size_t>> unjudged_groups() const;  // too few peers
  size_t group_of(size_t machine) const;
  size_t groups() const;
  double peak_score(size_t machine) const;  // over all judged time: mean of the top quarter of metrics

  // What was learned and which verdicts stand, by machine and metric name; survives a restart and a change of
  // the machine list. restore() takes what fits and ignores the rest; base::Error when it is no such state.
  base::Json save() const;
  void restore(const base::Json& state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A detector of the series' machines and metrics, and one step of the series as the row that it takes.
Detector detector_of(const MetricSeries& series, const DetectOptions& options);
void gather_row(const MetricSeries& series, size_t step, std::vector<float>& row);

finding::Diagnosis
diagnose(const MetricSeries& series, const DetectOptions& options, const base::Progress& progress = {});

// "57 min in steps of 2 s, 64 machines, 1 metric (power_w), 98.7 % of the samples there"
std::string covered_text(const Detector& detector);
// "power 6.2 % for 560 s, temp 20 % for 280 s"; empty when nothing was judged.
std::string reach_text(const Detector& detector);

// The fleet's medians since `from_ms` against options.expectations: a job that is slow everywhere has no odd
// machine. Needs keep_history.
struct ExpectationCheck {
  std::vector<finding::Finding> slower;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::string> notes;
};
ExpectationCheck
check_expectations(const Detector& detector, const DetectOptions& options, int64_t from_ms = INT64_MIN);

// Findings, facts, figures of a detector's present state; `diagnose` ends with it, `watch` shows it live.
// `devices` names the GPU that a reduced metric came from; null: nobody knows.
finding::Diagnosis
conclude(const Detector& detector, const DetectOptions& options, const MetricSeries* devices = nullptr);

// All machines by falling abnormality over steps [from, to) as one window, earlier steps being history:
// mean of the top quarter of the metrics' scores. For short periods and for ranking without a threshold.
struct RankedMachine {
  size_t machine = 0;
  double score = 0;
};
std::vector<RankedMachine>
rank_machines(const MetricSeries& series, size_t from, size_t to, const DetectOptions& options);

// The same for many windows of one length in one pass: those that end before each step of `ends` (rising).
struct RankWindows {
  size_t length = 8;
  size_t stride =
      1;  // between windows that are learned from; every end must be the last one's minus a multiple
  std::vector<size_t> ends;
};
std::vector<std::vector<RankedMachine>>
rank_windows(const MetricSeries& series, const RankWindows& windows, const DetectOptions& options);

}  // namespace lento::fleet
