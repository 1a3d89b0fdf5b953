// Queries the store's time once a minute and advances it by the steady clock in between. The current time
// must come from the store, because its clock stamps the samples by which rows are judged.
#include "fleet/watch/store_clock.h"

#include <optional>

namespace lento::fleet {

StoreClock::StoreClock(const Clock& clock, Feed& feed)
    : clock_(clock),
      feed_(feed),
      source_ms_(clock.wall_ms()),
      source_steady_ms_(clock.steady_ms()) {
}

int64_t StoreClock::now_ms() const {
  return source_ms_ + clock_.steady_ms() - source_steady_ms_;
}

void StoreClock::look() {
  constexpr int64_t kEvery = 60'000;  // ms
  const int64_t steady = clock_.steady_ms();
  if (looked_ms_ != INT64_MIN && steady - looked_ms_ < kEvery)
    return;
  const std::optional<int64_t> now = feed_.now_ms();
  looked_ms_ = steady;
  if (!now)
    return;
  source_ms_ = *now;
  source_steady_ms_ = steady;
}

}  // namespace lento::fleet
