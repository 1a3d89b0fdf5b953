// The alerts that a job asks for at one moment, as values: verdicts, clocks apart, a job slower than
// predicted, blindness, slow ranks. What was told before has no part in it.
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
  std::string over;      // the note when it ends
  bool of_rows =
      false;  // it follows from rows: it outlasts an outage, and a machine that is well for a while
  bool may_hook = false;
  std::string machine;  // that it is about; "": none
};
// By a text that is the same as long as the alert is.
using WantedAlerts = std::map<std::string, WantedAlert>;

// The parts of a watch at one moment.
struct JobView {
  const std::string& job;
  const StoreReader& reader;
  const JobJudge& judge;
  std::vector<finding::Finding> ranks;  // that stand by the collectives
  std::string why_blind;                // "" while the job is judged
  std::vector<MachineEvent> events;     // of the last day, the oldest first
};

WantedAlerts wanted_alerts(const JobView& view);

// Why the rows of the job are not judged; "" while they are.
std::string why_rows_blind(const StoreReader& reader, const JobJudge& judge);

}  // namespace lento::fleet
