// Sends the alerts of a watch: begins them, repeats them while they are active, and ends them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "fleet/feed.h"
#include "fleet/watch/hooks.h"
#include "fleet/watch/wanted_alerts.h"
#include "fleet/watch/watch_log.h"

namespace lento::fleet {

class AlertSender {
 public:
  struct Options {
    double resend_s = 60;
    double hold_off_s = 600;  // time for which an alert stays active after its machine recovered
    std::string job;
  };
  // State of the watch that decides whether an alert ends.
  struct WatchState {
    Moment at;
    bool judged = true;                              // false: the store is down and verdicts do not change
    std::function<bool(const std::string&)> in_job;  // by machine
    bool clean = true;                               // no sign of an outage: hooks may run
    size_t members = 0;                              // number of machines in the job
  };

  // The arguments must outlive this object.
  AlertSender(Options options, const WatchLog& log, AlertSink& sink, WatchHooks& hooks);

  // Begins, repeats and ends alerts, and runs the hooks that are queued.
  void update(WantedAlerts wanted, const WatchState& state);

  bool stands(const std::string& key) const {
    return standing_.contains(key);
  }
  size_t standing_ranks() const;
  uint64_t sent() const {
    return sent_;
  }
  // Returns true once after an alert of a machine began or ended.
  bool take_change();

  base::Json save() const;  // alerts of machines
  void load(const base::Json& saved, const base::Location& where);

 private:
  struct Standing {
    WantedAlert wanted;
    int64_t well_ms = 0;  // steady time since which no verdict supports the alert; 0: one does
  };
  void begin(const std::string& key, WantedAlert wanted);
  void end(const std::string& key, Standing& s, const WatchState& state);
  void run_hooks(const WatchState& state);
  bool outlasts(Standing& s, const WatchState& state) const;
  int64_t expiry(const WatchState& state) const;

  Options o_;
  const WatchLog& log_;
  AlertSink& sink_;
  WatchHooks& hooks_;
  std::map<std::string, Standing> standing_;
  int64_t resent_ms_ = INT64_MIN;  // steady time
  uint64_t sent_ = 0;
  bool changed_ = false;
};

}  // namespace lento::fleet
