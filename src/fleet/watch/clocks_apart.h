// Finds machines with a slow clock. They have no sample in the rows, but new samples still arrive, stamped so
// far behind those of their peers that no row waited for them. A machine that died sends no newer stamps.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "fleet/feed.h"
#include "fleet/scan/scan.h"
#include "fleet/watch/cadence.h"
#include "fleet/watch/store_clock.h"

namespace lento::fleet {

class ClocksApart {
 public:
  struct Behind {
    int64_t newest_ms = INT64_MIN;  // its newest stamp at the last query for older ones
    int64_t looked_ms = INT64_MIN;  // steady time
    bool arrives = false;           // newer stamps came since the query before: it is alive
    bool open = false;              // no sample when the watch began: the next query decides
  };

  void
  look(Feed& feed, const Scan& scan, const Cadence& cadence, const StoreClock& clock, int64_t started_ms);

  // The machines that have no sample in the rows.
  const std::map<std::string, Behind>& machines() const {
    return behind_;
  }
  bool excuses(const std::string& machine) const;  // Returns whether its silence may be due to its clock.

 private:
  std::map<std::string, Behind> behind_;
};

}  // namespace lento::fleet
