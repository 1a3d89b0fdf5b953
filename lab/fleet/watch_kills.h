// SIGKILL at random moments around an alert: one watch, or two that share a ledger, run as processes of their
// own over the simulated store, are killed and started again. A machine slows down or falls silent. Its hook
// may run once, and where it was cut off its outcome must be announced as unknown. Its alert must be raised
// in time and last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/figure.h"

namespace lento::fleet {

struct KillCase {
  uint64_t seed = 1;
  uint64_t index = 0;
  int watches = 1;
  int step_s = 1;
  bool silent = false;  // otherwise slow
};
KillCase kill_case(uint64_t seed, uint64_t index);

struct KillResult {
  int kills = 0;
  int hooks = 0;           // that ran for the faulty machine
  int foreign_hooks = 0;   // for another
  bool announced = false;  // as of unknown outcome
  bool raised = false;     // in time, the watches' absence excluded
  bool lapsed = false;     // the alert ended although the fault went on
  std::vector<std::string> story;

  bool doubled() const {
    return hooks > 1;
  }
  bool lost_hook() const {
    return hooks == 0 && !announced;
  }
  bool lost_alert() const {
    return !raised || lapsed;
  }
};
KillResult run_kill_case(const KillCase& c);

// A row for one watch, one for two.
finding::TableFigure measure_watch_kills(uint64_t seed, uint64_t cases, const base::Progress& progress);

}  // namespace lento::fleet
