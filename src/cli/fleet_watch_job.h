// One job under watch: pulls from a Prometheus-compatible store, pushes rows into a Detector, keeps an
// Alertmanager informed, saves its state.
//
// Rows are pushed `lag` seconds behind the clock so that late samples are in, and the one after the last row,
// without which that row would lie outside what was read. A pull that fails changes
// nothing: it is counted, reported once, retried at the next interval; when the store is back the missed rows
// are read (up to the longest window; before that they are lost and count as missing).
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
#include "cli/fleet_sources.h"
#include "fleet/detect/detect.h"
#include "fleet/source/prometheus.h"

namespace lento::cli {

struct WatchOptions {
  jobs::FleetSource source;
  fleet::DetectOptions detect;
  std::vector<std::string> group_by;
  std::string job = "job";       // named in alerts
  std::string state, diagnosis;  // files; "": none
  std::string expect;            // prediction that the whole fleet is held against; "": none
  std::string alertmanager, hook;
  double interval_s = 5, lag_s = 5, resend_s = 60;
  bool hook_live = false;
  int hook_per_hour = 2;
};

int64_t clock_ms();

class Watch {
 public:
  // A store that names more machines than this over time is not believed.
  static constexpr size_t kMostMachines = 16'384;

  Watch(Context& context, WatchOptions options);

  void step();   // never throws: what fails is counted and tried again
  void close();  // saves state and diagnosis
  finding::Diagnosis diagnosis() const;

  struct Sample {
    const char* name;
    const char* type;
    double value;
  };
  std::vector<Sample> samples() const;  // of the own /metrics

 private:
  struct Counters {
    uint64_t pulls = 0, failed_pulls = 0, rows = 0, samples = 0, skipped = 0, alerts = 0, failed_alerts = 0,
             hooks = 0;
  };

  int64_t horizon_ms() const;
  // Reads the rows that are due and pushes them. A machine list that grew means a new detector with the old
  // state, by name, and the last rows read again.
  void pull();
  void pull_again(int64_t end);
  bool rebuild_if_changed(const trace::MetricSeries& s);
  std::unique_ptr<fleet::Detector> new_detector();
  void restore(const base::Json& state);
  void push(const trace::MetricSeries& s, int64_t begin, int64_t end);
  void load_state();
  void save_state();
  void write_diagnosis();
  // A full disk must not end the watch: the file stays as it was, the next attempt comes.
  void keep(const std::string& path, const std::function<std::string()>& content);

  // Alerts and the hook (fleet_watch_alerts.cc).
  // New verdicts are announced at once, standing ones again every resend interval, resolved ones once.
  void tell();
  using Key = std::pair<std::string, bool>;  // machine, silent
  Key key_of(const fleet::Verdict& v) const { return {detector_->fleet().machines[v.machine], v.silent}; }
  void send(const std::vector<fleet::Alert>& alerts);
  fleet::Alert alert_of(const fleet::Verdict& v, int64_t ends_ms) const;
  void announce(const fleet::Verdict& v);
  // The whole fleet against the prediction, over the last minutes: one alert while it is slower.
  void tell_expectation(int64_t now, bool resend, std::vector<fleet::Alert>& alerts);

  Context& context_;
  WatchOptions o_;
  fleet::PrometheusOptions store_;
  std::unique_ptr<fleet::Detector> detector_;
  base::Json state_;
  std::set<std::string> known_machines_, known_metrics_;
  std::map<std::string, trace::Labels> labels_;
  int64_t next_ms_ = 0, told_ms_ = 0, saved_ms_ = clock_ms(), written_ms_ = 0;
  std::map<Key, fleet::Alert> announced_;   // as last told
  std::optional<fleet::Alert> slow_fleet_;  // likewise
  std::deque<fleet::Alert> pending_;
  std::vector<int64_t> hook_times_;
  std::vector<pid_t> children_;
  Counters counters_;
  bool failing_ = false;
};

}  // namespace lento::cli
