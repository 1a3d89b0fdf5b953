// Compares what the scan of the fleet promises with what it does on fresh fleets.
//
// False alarms: healthy records of all kinds with a finding. Detectable: the smallest deviation that an
// all-clear prints, planted in the same record on any machine, any time after as long a past. Never cleared:
// one and a half times that loss, from 5 to 95 % of the record on. Together: k of n machines, and the job as
// a whole.
#pragma once

#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "lab/promise/promise.h"

namespace lento::lab {

struct FleetAuditOptions {
  int healthy = 10;      // draws of each healthy kind
  int detectable = 200;  // draws with one loss
  int together = 10;     // draws of each planted kind
  uint64_t seed = 1;
};

std::vector<Promise> audit_fleet(const FleetAuditOptions& options, const base::Progress& progress = {});

// A watch that runs for months on healthy fleets of 16 machines with four metrics and a row per minute.
struct FleetMonthsOptions {
  double months = 1;  // of each kind of fleet
  uint64_t seed = 1;
};

// Returns the days with a false alarm for each kind of fleet and budget. Days, because alarms of one day may
// have one cause.
std::vector<Promise> audit_fleet_months(
    const FleetMonthsOptions& options,
    const base::Progress& progress = {});

}  // namespace lento::lab
