// Watches one job, in three parts. Reading (reader.h) gets rows from a store. Judging (judge.h) pushes them
// into a scan. Sending (alert_sender.h, hooks.h) begins and ends alerts and runs hooks. The parts exchange
// plain values: rows, and the alerts that should be active (wanted_alerts.h).
//
// Rows use the store's time, so that a step of this machine's wall clock changes nothing. A job that could
// not be judged for two minutes (or four steps) gives the alert LentoBlind. A machine whose samples arrive
// with much older time stamps than its peers' is not silent. Its alert is LentoClockApart, without a hook.
// When the job's ranks record their collectives, slow ranks give alerts with rank, host and GPU, or one
// common alert when the metrics of that host deviate as well.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "finding/finding.h"
#include "fleet/feed.h"
#include "fleet/scan/scan.h"
#include "fleet/watch/alert_sender.h"
#include "fleet/watch/hooks.h"
#include "fleet/watch/judge.h"
#include "fleet/watch/ranks.h"
#include "fleet/watch/reader.h"
#include "fleet/watch/watch_log.h"

namespace lento::fleet {

struct WatchOptions {
  ScanOptions scan{.budget = {1, 30 * 86400.0}};  // one false alarm a month
  std::string job = "job";                        // name of the job in alerts
  // Paths of files; "": none.
  std::string state;
  std::string diagnosis;
  std::string expect;   // prediction that the whole fleet is compared with; "": none
  std::string ledger;   // ledger of hooks; "": STATE.hooks, or in memory without a state file
  bool metrics = true;  // false: collectives only, there is no store
  double step_s = 0;    // 0: estimated from the samples
  double resend_s = 60;
  double hold_off_s = 600;  // time for which an alert stays active after its machine recovered
  double forget_s = 1800;   // time after which a silent machine has left, in a store without `up`
  bool hook = false;
  bool hook_live = false;
  int hook_per_hour = 2;
  EventFeed* events = nullptr;  // source of machine events that alerts mention; must outlive the watch
};

// The interfaces through which a watch reads and acts. All must outlive the watch.
struct WatchWorld {
  const Clock& clock;
  Feed& feed;
  AlertSink& alerts;
  HookRunner& hooks;
  RanksWatch* ranks = nullptr;  // nullptr: collectives are not watched
};

class FleetWatch {
 public:
  // Throws base::Error for options that contradict each other.
  FleetWatch(const WatchWorld& world, WatchLog log, WatchOptions options);
  FleetWatch(const FleetWatch&) = delete;
  FleetWatch& operator=(const FleetWatch&) = delete;

  void step();    // reads, judges and sends once; never throws: failures are counted and tried again
  void reload();  // reads the prediction anew; an unreadable file changes nothing
  void close();   // ends hooks, saves state and diagnosis
  finding::Diagnosis diagnosis() const;

  struct Sample {
    const char* name;
    const char* type;
    double value;
  };
  std::vector<Sample> samples() const;  // metrics about the watch itself, for its /metrics page

  // For tests.
  int64_t step_ms() const {
    return reader_.cadence().step_ms();
  }
  int64_t delay_ms() const {
    return reader_.cadence().delay_ms();
  }
  bool blind() const {
    return alert_sender_.stands("LentoBlind");
  }

 private:
  void send_alerts();
  std::string why_blind() const;
  void load_state();
  void save_state();
  void write_diagnosis();
  void keep(const std::string& path, const std::function<std::string()>& content) const;

  WatchWorld world_;
  WatchLog log_;
  WatchOptions o_;
  JobJudge judge_;
  StoreReader reader_;
  WatchHooks hooks_;
  AlertSender alert_sender_;
  int64_t saved_ms_;
  int64_t written_ms_;
};

}  // namespace lento::fleet
