// Finds machines whose clock is behind. The rows hold no sample of them, but new samples still arrive, with
// time stamps so much older than their peers' that their rows were already judged. A dead machine sends none.
// After a clock went back, the store refuses samples that are older than its newest.
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
    int64_t newest_ms = INT64_MIN;  // newest time stamp of the machine at the last query
    int64_t looked_ms = INT64_MIN;  // steady time of that query
    bool arrives = false;           // the stamp advanced since the query before, so the machine is alive
    bool open = false;              // no sample since the watch began; the next query decides
    bool refused = false;           // its exporter gives as many samples as before; the store keeps none
  };

  void
  look(Feed& feed, const Scan& scan, const Cadence& cadence, const StoreClock& clock, int64_t started_ms);

  // Returns the machines without a sample in the latest rows.
  const std::map<std::string, Behind>& machines() const {
    return behind_;
  }
  bool excuses(const std::string& machine) const;  // whether its clock may explain its missing samples

 private:
  std::map<std::string, Behind> behind_;
};

}  // namespace lento::fleet
