// The hooks of one job's alerts: none on evidence of an outage, none twice (hook_ledger.h), few in an hour.
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

  // All outlive it.
  WatchHooks(Options options, const Clock& clock, HookRunner& runner, const WatchLog& log);

  // An alert of this key has begun, and its hook waits for clean evidence.
  void want(const std::string& key) {
    if (o_.wanted)
      waiting_.insert(key);
  }
  bool waits(const std::string& key) const {
    return waiting_.contains(key);
  }
  // Its alert is over.
  void cleared(const std::string& machine, const std::string& key);
  void collect();  // those that ended
  void close();    // ends those that still run, and enters them as ended
  void run(const std::string& key, const HookCall& call, size_t members);

  // Hooks that a process before this one started and did not see end, as alerts, now and then; and that they
  // were told.
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
