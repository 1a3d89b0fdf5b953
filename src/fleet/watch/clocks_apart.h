// Machines without a sample in the rows whose samples still arrive, stamped so far behind their peers' that
// no row waited for them. A machine that died has no stamp after its last row.
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
    int64_t newest_ms = INT64_MIN;  // its newest stamp at the last look for older ones
    int64_t looked_ms = INT64_MIN;  // steady time
    bool arrives = false;           // newer stamps came since the look before: it lives
    bool open = false;              // quiet when the watch began: the next look decides
  };

  void
  look(Feed& feed, const Scan& scan, const Cadence& cadence, const StoreClock& clock, int64_t started_ms);

  // Machines that are silent by the rows.
  const std::map<std::string, Behind>& machines() const {
    return behind_;
  }
  bool excuses(const std::string& machine) const;  // its silence

 private:
  std::map<std::string, Behind> behind_;
};

}  // namespace lento::fleet
