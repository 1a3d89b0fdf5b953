// Collects the alerts that should be active for a job now, as values: verdicts, machines with a wrong clock,
// a job slower than predicted, a job that cannot be judged, slow ranks. Alerts sent before have no influence.
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
  int64_t since_ms = 0;  // time for the log line that begins it, by the store's clock
  std::string over;      // log line for the end of the alert
  bool of_rows =
      false;  // follows from metrics, so that it stays active in an outage and for a while after recovery
  bool may_hook = false;
  std::string machine;  // machine that the alert is about; "": none
};
// Keyed by a text that stays the same as long as the alert is active.
using WantedAlerts = std::map<std::string, WantedAlert>;

// The current state of a watch, from which its alerts follow.
struct JobView {
  const std::string& job;
  const StoreReader& reader;
  const JobJudge& judge;
  std::vector<finding::Finding> ranks;  // current findings from collectives
  std::string why_blind;                // "" while the job is judged
  std::vector<MachineEvent> events;     // events of the last day, the oldest first
};

WantedAlerts wanted_alerts(const JobView& view);

// Returns the reason why the rows of the job are not judged, or "" while they are.
std::string why_rows_blind(const StoreReader& reader, const JobJudge& judge);

}  // namespace lento::fleet
