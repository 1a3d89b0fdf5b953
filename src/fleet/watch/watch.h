// Watches one job: reads rows from a store, pushes them into a Scan, reports verdicts and runs hooks.
//
// Time. Rows are in the store's time. The present is the store's clock, continued by the steady clock
// between two readings of it, so that a step of this machine's wall clock changes nothing.
//
// Rows. A row is pushed once every member of the job has a sample at or after it, or when a sample can no
// longer be on its way: after one step, the usual delay of samples and some slack. Step and delay are
// learned.
//
// Outages. Failed pulls and rows without answers count as no machine's silence (fleet/scan/roll_call.h).
// Open alerts are repeated, and the missed rows are read when the store is back.
//
// Blindness. A job that could not be judged for two minutes (or four steps) is an alert of its own,
// LentoBlind.
//
// Membership. A machine that the store still scrapes (`up`, 0 or 1) is in the job, one that the store no
// longer scrapes has left. Without `up` in the store a machine leaves after WatchOptions::forget_s.
//
// Clocks. A machine whose samples arrive with stamps behind those of its peers is not silent. It gets the
// alert LentoClockApart, without a hook.
//
// Alerts. An alert lasts until its machine was well for WatchOptions::hold_off_s, so that a flapping machine
// is one alert. Two watches of one job give alerts with the same labels.
//
// Collectives. When the job's ranks record them, their findings are reported too: an alert that names rank,
// host and GPU, or, when the metrics of that host deviate as well, one alert with both.
//
// Hooks. None runs on evidence from an outage, and none twice (hook_ledger.h).
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "fleet/feed.h"
#include "fleet/scan/history.h"
#include "fleet/scan/scan.h"
#include "fleet/watch/hook_ledger.h"
#include "fleet/watch/ranks.h"
#include "fleet/watch/verdicts.h"

namespace lento::fleet {

struct WatchOptions {
  ScanOptions scan{.budget = {1, 30 * 86400.0}};  // one false alarm a month
  std::string job = "job";                        // named in alerts
  // Files, "": none.
  std::string state;
  std::string diagnosis;
  std::string expect;   // prediction that the whole fleet is held against; "": none
  std::string ledger;   // of hooks; "": beside the state, or in memory without one
  bool metrics = true;  // false: collectives only, there is no store
  double step_s = 0;    // 0: learned
  double resend_s = 60;
  double hold_off_s = 600;  // an alert stands so long after its machine is well again
  double forget_s = 1800;   // a silent machine has left after so long, where the store does not know `up`
  bool hook = false;
  bool hook_live = false;
  int hook_per_hour = 2;
};

// The output of a watch: verdicts in lines, everything else as notes.
struct WatchLog {
  std::function<void(const std::string&)> say = [](const std::string&) {};
  // Returns the line for an alert that begins, at a moment in Unix milliseconds. Without this function the
  // line has time and summary.
  std::function<std::string(int64_t, const Alert&)> line_of;
  bool say_ends = false;  // also when one ends; without, that is a note
  std::function<void(const std::string&)> note = [](const std::string&) {};
  std::function<std::string(finding::Diagnosis)> text_of;  // for the diagnosis file
};

// The interfaces to the outside. All must outlive the watch.
struct WatchWorld {
  const Clock& clock;
  Feed& feed;
  AlertSink& alerts;
  HookRunner& hooks;
  RanksWatch* ranks = nullptr;  // nullptr: collectives are not watched
};

class FleetWatch {
 public:
  // A store that names more machines than this over time is treated as an error.
  static constexpr size_t kMostMachines = 16'384;

  FleetWatch(WatchWorld world, WatchLog log, WatchOptions options);
  ~FleetWatch();

  void step();    // never throws: what fails is counted and tried again
  void reload();  // reads the prediction anew; what cannot be read changes nothing
  void close();   // saves state and diagnosis
  finding::Diagnosis diagnosis() const;

  struct Sample {
    const char* name;
    const char* type;
    double value;
  };
  std::vector<Sample> samples() const;  // of the own /metrics

  // For tests and `doctor`.
  int64_t step_ms() const {
    return step_ms_;
  }
  int64_t delay_ms() const {
    return delay_ms_;
  }
  bool blind() const {
    return blind_.has_value();
  }

 private:
  struct Counters {
    uint64_t pulls = 0;
    uint64_t failed_pulls = 0;
    uint64_t rows = 0;
    uint64_t unanswered = 0;
    uint64_t samples = 0;
    uint64_t skipped = 0;
    uint64_t alerts = 0;
    uint64_t hooks = 0;
    uint64_t unknown_hooks = 0;
    uint64_t rebuilds = 0;
  };
  using Key = std::pair<std::string, bool>;  // machine, silent
  struct Standing {
    Alert alert;
    int64_t well_ms = 0;  // steady time since which its verdict no longer stands; 0: it stands
    bool hook_waits = false;
  };

  void step_metrics();
  // Reading rows (pull.cc).
  int64_t now_ms() const;  // the store's time
  void look_at_clock();
  int64_t history_ms() const;
  void pull();
  void read_targets();
  bool learn_step(const MetricSeries& s);
  void learn_delay(const MetricSeries& s);
  bool take_names(const MetricSeries& s);
  void forget_left();
  void rebuild();
  void take_over();
  int64_t piece_ms() const;
  MetricSeries read(int64_t from_ms, int64_t until_ms);
  void note_medians(int64_t time_ms, std::span<const float> row);
  std::optional<int64_t> frontier(const MetricSeries& s) const;
  void push(const MetricSeries& s, int64_t until_ms);
  void keep_half(const MetricSeries& s);
  void look_behind();
  void keep_members();
  bool targets_fit(const MetricSeries& s) const;
  void start_rows();
  bool in_job(const std::string& machine) const;

  // Reporting (tell.cc).
  void tell();
  void tell_verdicts(int64_t now, bool resend, std::vector<Alert>& alerts);
  void tell_clocks(int64_t now, bool resend, std::vector<Alert>& alerts);
  void tell_expectation(int64_t now, bool resend, std::vector<Alert>& alerts);
  void say(int64_t ms, const Alert& alert) const;
  void say_end(int64_t ms, const Alert& alert) const;
  void tell_blindness(int64_t now, bool resend, std::vector<Alert>& alerts);
  void tell_ranks(int64_t now, bool resend, std::vector<Alert>& alerts);
  bool take_ranks(const std::vector<finding::Finding>& standing);
  std::vector<HookLedger::Event> unknown_hooks(int64_t now, std::vector<Alert>& alerts);
  std::string why_blind() const;
  Alert alert_of(const MachineVerdict& v) const;
  std::string device_of(const std::string& metric, const std::string& machine) const;
  int64_t expiry(int64_t now) const;
  void run_hooks();
  void run_hook(const HookCall& call);
  bool clean_evidence() const;

  // Files (watch.cc).
  void load_state();
  void save_state();
  void write_diagnosis();
  void keep(const std::string& path, const std::function<std::string()>& content);

  WatchWorld world_;
  WatchLog log_;
  WatchOptions o_;
  HookLedger ledger_;
  std::unique_ptr<Scan> scan_;
  std::unique_ptr<History> history_;
  base::Json state_;  // to be taken over once the rows of the last hour are pushed; else null
  // Medians of the job's machines in the last minutes with their times, for each expectation.
  std::vector<std::deque<std::pair<int64_t, double>>> medians_;
  std::set<std::string> known_machines_;
  std::set<std::string> known_metrics_;
  std::map<std::string, Labels> labels_;
  std::map<std::string, int64_t> left_;     // steady time
  std::map<std::string, int64_t> missing_;  // not among the targets since, steady time; named by no list
  std::vector<Target> targets_;
  std::map<std::string, bool> up_;  // by machine, of the last whole list of targets
  int64_t targets_shrunk_ms_ = 0;
  int64_t targets_whole_ms_ = 0;  // of the last whole list
  size_t usual_targets_ = 0;
  std::deque<MetricSeries> halves_;        // answers that lacked many members, with rows still to push
  MetricSeries last_;                      // as last read, for the names of devices
  std::map<std::string, int64_t> newest_;  // by machine
  std::deque<int64_t> delays_;             // of samples that arrived, a median a pull
  std::deque<int64_t> gaps_;               // distances of samples, a median a pull that brought any

  int64_t started_ms_;
  int64_t clock_looked_ms_ = INT64_MIN;
  // The store's time at a moment of the steady clock.
  int64_t source_ms_ = 0;
  int64_t source_steady_ms_ = 0;
  int64_t step_ms_ = 0;
  int64_t delay_ms_ = 0;
  int64_t next_ms_ = INT64_MIN;      // first row that was not pushed
  int64_t answered_ms_ = INT64_MIN;  // steady time of the last row with an answer
  int64_t outage_ms_ = INT64_MIN;    // steady time of the last sign of an outage
  uint64_t looks_ = 0;
  int64_t looked_ms_;            // steady time of the last judgement
  int64_t stepped_back_ms_ = 0;  // steady time since which rows lie ahead of the store's clock
  int64_t hooks_looked_ms_ = INT64_MIN;
  int64_t told_ms_ = INT64_MIN;
  int64_t saved_ms_;
  int64_t written_ms_;
  int64_t targets_ms_ = INT64_MIN;
  bool failing_ = false;
  bool targets_known_ = false;
  bool dirty_ = false;
  std::string failure_;
  std::map<Key, Standing> standing_;
  // A machine without a sample in the rows, and its newest stamp at the last search for older ones.
  struct Behind {
    int64_t newest_ms = INT64_MIN;
    int64_t looked_ms = INT64_MIN;  // steady time
    bool arrives = false;           // newer stamps came since the look before: it lives
    bool open = false;              // quiet when the watch began: the next look decides
    std::optional<Alert> alert;
  };
  std::map<std::string, Behind> behind_;
  std::optional<Alert> slow_fleet_;
  std::optional<Alert> blind_;
  std::map<std::string, Alert> slow_ranks_;          // by category and subject
  std::map<std::string, finding::Finding> rank_of_;  // what collectives say of a machine
  Counters counters_;
};

}  // namespace lento::fleet
