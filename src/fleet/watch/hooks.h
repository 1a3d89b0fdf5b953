// Decides when the hooks of one job's alerts run: none while an outage of the store may be the reason for
// the alert, none twice for one incident (hook_ledger.h), and only a few in an hour.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "fleet/feed.h"
#include "fleet/watch/hook_ledger.h"
#include "fleet/watch/watch_log.h"

namespace lento::fleet {

class WatchHooks {
 public:
  struct Options {
    std::string job;
    std::string ledger;  // file; "": in memory
    bool wanted = false;
    bool live = false;  // false: a dry run
    int per_hour = 2;
  };

  // The arguments must outlive this object.
  WatchHooks(Options options, const Clock& clock, HookRunner& runner, const WatchLog& log);

  // Queues the hook of a new alert. It runs once no outage of the store can be the reason for the alert.
  void want(const std::string& key) {
    if (o_.wanted)
      waiting_.insert(key);
  }
  bool waits(const std::string& key) const {
    return waiting_.contains(key);
  }
  // Drops the hook, because the alert has ended.
  void cleared(const std::string& machine, const std::string& key);
  void collect();  // records the outcomes of the hooks that ended
  void close();    // kills the hooks that still run, and records that
  void run(const std::string& key, const HookCall& call, size_t members);

  // Returns an alert for each hook that an earlier process started without recording its outcome.
  // unknown_told() marks these alerts as sent.
  std::vector<Alert> unknown(int64_t now_ms);
  void unknown_told();

  uint64_t ran() const {
    return ran_;
  }
  uint64_t unknown_seen() const {
    return unknown_seen_;
  }

 private:
  Options o_;
  HookLedger ledger_;
  const Clock& clock_;
  HookRunner& runner_;
  const WatchLog& log_;
  std::set<std::string> waiting_;  // keys of alerts
  std::vector<HookLedger::Event> unknown_;
  int64_t looked_ms_ = INT64_MIN;
  uint64_t ran_ = 0;
  uint64_t unknown_seen_ = 0;
};

}  // namespace lento::fleet
