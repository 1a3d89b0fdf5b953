// Collects the alerts that a job needs at one moment, as values: verdicts, machines with a wrong clock, a job
// slower than predicted, a job that cannot be judged, slow ranks. Alerts that were sent before have no
// influence.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "finding/finding.h"
#include "fleet/watch/judge.h"
#include "fleet/watch/reader.h"

namespace lento::fleet {

struct WantedAlert {
  Alert alert;           // without its end
  int64_t since_ms = 0;  // of the line that begins it, by the store's clock
  std::string over;      // the line of the log when it ends
  bool of_rows =
      false;  // it follows from rows: it outlasts an outage, and a machine that is well for a while
  bool may_hook = false;
  std::string machine;  // that it is about; "": none
};
// Keyed by a text that stays the same as long as the alert is active.
using WantedAlerts = std::map<std::string, WantedAlert>;

// The parts of a watch at one moment.
struct JobView {
  const std::string& job;
  const StoreReader& reader;
  const JobJudge& judge;
  std::vector<finding::Finding> ranks;  // current findings from collectives
  std::string why_blind;                // "" while the job is judged
  std::vector<MachineEvent> events;     // of the last day, the oldest first
};

WantedAlerts wanted_alerts(const JobView& view);

// Returns the reason why the rows of the job are not judged, or "" while they are.
std::string why_rows_blind(const StoreReader& reader, const JobJudge& judge);

}  // namespace lento::fleet
