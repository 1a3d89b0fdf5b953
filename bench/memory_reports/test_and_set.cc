// A lock that is taken by an exchange in a loop, without looking first.
// Mended, each thread counts for itself.
// github.com/chapel-lang/chapel/issues/13012
// expect: lock, total
// fixed: quiet
#include <atomic>

#include "run.h"
alignas(128) static struct {
  std::atomic<bool> taken{false};
  long value;
} total;
int main() {
  run(4, [](int) {
    long own = 0;
    for (int i = 0; i < 8000; ++i) {
#ifndef FIXED
      while (total.taken.exchange(true, std::memory_order_acquire))
        std::this_thread::yield();
      total.value += i;
      total.taken.store(false, std::memory_order_release);
#endif
      own += i;
    }
#ifdef FIXED
    while (total.taken.exchange(true, std::memory_order_acquire))
      std::this_thread::yield();
    total.value += own;
    total.taken.store(false, std::memory_order_release);
#endif
  });
  std::printf("%ld\n", total.value);
}
