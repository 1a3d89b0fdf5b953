// Runs one pass over the records of a trace, with filter, progress and stop, for all scans.
#pragma once

#include <algorithm>
#include <memory>

#include "memory/mine/contention_scan.h"

namespace lento::memory {

inline constexpr uint64_t kPause = uint64_t{1} << 22;  // records between two checks for a stop by the user

// Calls use(record) for each record that passes the filter, except the first `skip` records of the trace, and
// pause(records) after every `pause_every`. Returns false when the user stopped it.
template <class Use, class Pause>
bool each_record(
    const OpenTrace& open,
    const ContentionOptions& options,
    Functions& functions,
    base::ReadReport& report,
    uint64_t skip,
    uint64_t pause_every,
    Use&& use,
    Pause&& pause) {
  const std::unique_ptr<AccessSource> source = open(report);
  uint64_t done = 0;
  uint64_t next = skip + pause_every;
  const bool all = options.filter.cpus.empty() && options.filter.function.empty() &&
                   options.filter.first_cycle == 0 && options.filter.last_cycle == UINT64_MAX;
  for (auto batch = source->next(); !batch.empty(); batch = source->next()) {
    const size_t known = size_t(std::min<uint64_t>(batch.size(), skip - std::min(skip, done)));
    for (const AccessRecord& r : batch.subspan(known)) {
      if (all || passes(options.filter, r, functions))
        use(r);
    }
    done += batch.size();
    if (done < next)
      continue;
    next += pause_every;
    pause(done);
    if (options.progress.stopped())
      return false;
  }
  return true;
}

// Runs a pass that starts at the first record and reports progress only.
template <class Use>
void each_record(
    const OpenTrace& open,
    const ContentionOptions& options,
    Functions& functions,
    base::ReadReport& report,
    const char* what,
    Use&& use) {
  each_record(open, options, functions, report, 0, kPause, use, [&](uint64_t done) {
    options.progress(what, double(done), 0);
  });
}

}  // namespace lento::memory
