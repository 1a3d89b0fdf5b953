// The store's time, carried on by the steady clock between two looks at the store's, so that a step of this
// machine's wall clock changes nothing.
#pragma once

#include <cstdint>

#include "fleet/feed.h"

namespace lento::fleet {

class StoreClock {
 public:
  // Until the first look the wall clock serves. Both outlive it.
  StoreClock(const Clock& clock, Feed& feed);

  int64_t now_ms() const;
  int64_t steady_ms() const {
    return clock_.steady_ms();
  }
  void look();  // at most once a minute; throws base::Error as the feed does

 private:
  const Clock& clock_;
  Feed& feed_;
  int64_t source_ms_;         // the store's time ...
  int64_t source_steady_ms_;  // ... at this steady time
  int64_t looked_ms_ = INT64_MIN;
};

}  // namespace lento::fleet
