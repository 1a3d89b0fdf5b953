// A spin lock that is hardly ever taken. A line of its own was called overkill.
// github.com/scylladb/seastar/pull/3265
// expect: quiet
#include <atomic>

#include "run.h"
static std::atomic<bool> busy{false};
static long logged;
struct alignas(128) Slot {
  volatile long count = 0;
};
static Slot slots[4];
int main() {
  run(4, [](int me) {
    for (int i = 0; i < 40000; ++i) {
      slots[me].count += i;
      if (i % 10000 != 0)
        continue;
      while (busy.exchange(true, std::memory_order_acquire))
        ;
      logged += i;
      busy.store(false, std::memory_order_release);
    }
  });
  std::printf("%ld\n", logged);
}
