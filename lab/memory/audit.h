// Compares what the contention detector promises with what it does on fresh traces.
//
// False alarms: healthy programs that have a finding, where records give reasons and where they hold
// latencies only (then the detector's own level is the promise). Detectable: a variable that costs one and a
// half times the least loss, planted in calm work. Never cleared: the same where every access fights.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "lab/promise/promise.h"

namespace lento::lab {

struct MemoryAuditOptions {
  int healthy = 400;
  int detectable = 200;
  uint64_t seed = 1;
};

std::vector<Promise> audit_memory(const MemoryAuditOptions& options, const base::Progress& progress = {});

}  // namespace lento::lab
