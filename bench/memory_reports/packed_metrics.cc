// Counters of different events lie one after another, and each thread raises its own kind.
// github.com/centrifugal/centrifugo/pull/77
// expect: false sharing, metrics
// fixed: quiet
#include <atomic>

#include "run.h"
#ifdef FIXED
struct alignas(128) Counter {
#else
struct Counter {
#endif
  std::atomic<long> value{0};
  long last_interval = 0;
  long last_value = 0;
};
alignas(128) static Counter metrics[4];
int main() {
  run(4, [](int me) {
    for (int i = 0; i < 25000; ++i)
      metrics[me].value.fetch_add(1, std::memory_order_relaxed);
  });
  std::printf("%ld\n", metrics[2].value.load());
}
