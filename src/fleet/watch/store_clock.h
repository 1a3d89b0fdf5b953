// Estimates the store's current time: the time of its last answer plus the steady clock's advance since then,
// so that a step of this machine's wall clock changes nothing.
#pragma once

#include <cstdint>

#include "fleet/feed.h"

namespace lento::fleet {

class StoreClock {
 public:
  // Uses the wall clock until the first query. Both arguments must outlive this object.
  StoreClock(const Clock& clock, Feed& feed);

  int64_t now_ms() const;
  int64_t steady_ms() const {
    return clock_.steady_ms();
  }
  void look();  // queries the store's time, at most once per minute; throws base::Error as the feed does

 private:
  const Clock& clock_;
  Feed& feed_;
  int64_t source_ms_;         // the store's time ...
  int64_t source_steady_ms_;  // ... at this steady time
  int64_t looked_ms_ = INT64_MIN;
};

}  // namespace lento::fleet
