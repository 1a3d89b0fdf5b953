// Counters of different events, one after another, each raised by the thread that meets its event.
// github.com/PowerDNS/pdns/issues/9451
// expect: false sharing, statistics
// fixed: quiet
#include <atomic>

#include "run.h"
#ifdef FIXED
struct alignas(128) Counter {
  std::atomic<unsigned long> events{0};
};
#else
struct Counter {
  std::atomic<unsigned long> events{0};
};
#endif
alignas(128) static Counter statistics[4];
int main() {
  run(4, [](int me) {
    for (int i = 0; i < 30000; ++i)
      statistics[me].events.fetch_add(1, std::memory_order_relaxed);
  });
  std::printf("%lu\n", statistics[3].events.load());
}
