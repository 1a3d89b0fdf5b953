// Finds the machine of a job that changed relative to its peers and its own past, the machines that changed
// together, and changes of the job as a whole.
//
//   rows -> Scan -> episodes                one row per step, bounded memory, equal for file and watch
//   MetricSeries, Scan -> conclude -> Diagnosis
//   MetricSeries -> scan -> Diagnosis       a recorded period: both of them
//
// One test (level.h) is made at several lengths of window. The threshold follows from a budget of
// false alarms that all tests share evenly, so that the rate of false alarms is the same however long the
// scan runs. A watch that starts again pushes the last hour of its store and then continues from its saved
// state (take_over).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/progress.h"
#include "finding/finding.h"
#include "fleet/read/metric_series.h"
#include "fleet/scan/codes.h"
#include "fleet/scan/kinds.h"
#include "fleet/scan/roll_call.h"

namespace lento::fleet {

// The expected number of false findings in a period. A period of 0 s is the whole record.
struct ScanBudget {
  double false_alarms = 0.005;
  double period_s = 0;
};

struct ScanOptions {
  std::vector<std::string> metrics;                                   // metrics to judge; empty: all
  std::vector<std::string> group_by{"stage", "pp_rank", "hardware"};  // labels whose values separate peers
  size_t min_peers = 4;                                               // smaller groups are not judged
  ScanBudget budget;
  double shortest_s = 100;       // length of the shortest window; eight steps at least
  double longest_s = 3600;       // length of the longest window
  double silence_s = 60;         // a machine without samples for this long is silent; four steps at least
  CodeCatalogue xids = nullptr;  // NVIDIA's errors; nullptr: codes without their meaning
  // For recorded periods:
  std::optional<int64_t> judge_from_ms;            // earlier rows are only history
  std::vector<finding::Expectation> expectations;  // a prediction that the whole job is compared with
  std::string expected_metric = "step_time_s";     // the metric that an Expectation of a step predicts
};

struct ScanFleet {
  std::vector<std::string> machines;
  std::vector<fleet::Labels> labels;  // per machine; may be empty
  std::vector<std::string> metrics;
  int64_t step_ms = 1000;
  size_t rows = 0;         // number of rows of the record; 0: a live job
  bool backwards = false;  // rows are pushed from the last to the first (early_changes)
};

struct Member {
  size_t machine = 0;
  float score = 0;  // largest score, in multiples of the threshold
  int64_t onset_ms = 0;
  int64_t raised_ms = 0;
  int64_t last_ms = 0;  // time of the last test that showed the change
  bool active = true;
};

// A change that began at one time in one metric. An ended episode stays in the list until it is forgotten.
struct Episode {
  enum class What {
    Machines,  // one machine changed, or several of a group at the same time
    Job,       // the median of the job changed
    Silent,    // a machine sends no sample of any metric while its peers do
    Uneven,    // the job changed and its machines responded unequally, which is no finding
  };
  What what = What::Machines;
  size_t metric = 0;
  size_t group = 0;
  bool rises = false;
  std::vector<Member> members;
  int64_t onset_ms = 0;
  int64_t raised_ms = 0;
  int64_t last_ms = 0;
  float score = 0;
  double window_s = 0;  // length of the window of the test that raised it
  bool active = true;
};

struct Sensitivity {
  size_t metric = 0;
  double window_s = 0;
  double shift = 0;  // smallest detectable change on the metric's scale; for a level its share
};

// Means over the last rows, as many as the shortest window has. NaN without samples.
struct RecentMeans {
  std::vector<double> members;  // means of the episode's members, in its order
  double peers = 0;             // mean of the group's other machines
  double window_s = 0;
};

// The result of the last test of a machine by one metric and one length of window.
struct MachineDeviation {
  size_t metric = 0;
  double window_s = 0;
  float score = 0;  // in multiples of the threshold, with the sign of the change
  float shown = 0;  // size of the score before Level::allowed() limits it
};

class Scan {
 public:
  Scan(ScanFleet fleet, ScanOptions options);
  ~Scan();
  Scan(Scan&&) noexcept;

  // Judges a row values[metric * machines + machine], NaN where missing. Times must rise by step_ms. Rows
  // before the first sample change nothing.
  void push(int64_t time_ms, std::span<const float> values);

  // For a live job: notes a sample that came too late for its row, a machine that left the job, and one that
  // joined it, whether or not they have samples.
  void heard(size_t machine, int64_t time_ms);
  void leave(size_t machine);
  void join(size_t machine);
  void forget_resolved(int64_t before_ms);  // bounds the list of episodes in long runs
  void add(Episode episode);                // adds an episode that was found outside the scan
  const RollCall& roll() const;
  const std::vector<CodeEvent>& codes() const;  // error codes that metrics showed
  uint64_t tests() const;  // number of tests of a machine by one metric and window so far
  RecentMeans recent(const Episode& episode) const;
  std::vector<MachineDeviation> deviations_of(
      size_t machine) const;  // the last tests that judged the machine

  // save() returns the state that cannot be read from the store after a restart: the machines of the job, the
  // active episodes with the past of their members, and the largest deviations of healthy machines. Call
  // join_members() before the rows of the last hour and take_over() after them. Both match by name, ignore
  // unknown names, and throw base::Error for any other JSON.
  base::Json save() const;
  void join_members(const base::Json& state);
  void take_over(const base::Json& state);

  const ScanFleet& fleet() const;
  const std::vector<Episode>& episodes() const;
  Kind kind(size_t metric) const;  // the kind as which the metric is judged
  Slow slow(size_t metric) const;
  const Scale& scale(size_t metric) const;
  // Returns the smallest detectable change of each metric that was judged. For a record it is that of the
  // record's middle: later the past is longer, and earlier changes are found in reversed time.
  std::vector<Sensitivity> sensitivity() const;
  const std::vector<std::vector<size_t>>& groups() const;
  bool group_judged(size_t group) const;
  double threshold() const;  // z that follows from the budget
  double needed_s() const;   // length of the rows that are needed before the first window is judged

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Returns findings, notes, coverage and the smallest detectable change of a scan. `series` holds the rows
// that the scan judged, or for a live job their means over equal numbers of rows (history.h).
finding::Diagnosis conclude(const MetricSeries& series, const Scan& scan, const ScanOptions& options);

// Returns the changes of machines that a scan in reversed time finds, which includes those so early that a
// machine has no past yet. A machine that differed from its peers only before the change has warmed up and is
// not returned, nor is one whose peers changed as well.
std::vector<Episode> early_changes(const MetricSeries& series, const ScanOptions& options);
void add_early(const MetricSeries& series, const ScanOptions& options, Scan& scan);  // except known members

// Judges a recorded period, forwards and backwards.
finding::Diagnosis
scan(const fleet::MetricSeries& series, const ScanOptions& options, const base::Progress& progress = {});

}  // namespace lento::fleet
