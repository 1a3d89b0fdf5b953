// Spin latches without padding, one a thread. Each guards data of its own.
// github.com/apple/foundationdb/issues/3161
// expect: false sharing|lock, latches
// fixed: quiet
#include <atomic>

#include "run.h"
#ifdef FIXED
struct alignas(128) Latch {
  std::atomic<int> held{0};
};
#else
struct Latch {
  std::atomic<int> held{0};
};
#endif
struct alignas(128) Guarded {
  long sum = 0;
};
alignas(128) static Latch latches[4];
static Guarded guarded[4];
int main() {
  run(4, [](int me) {
    for (int i = 0; i < 20000; ++i) {
      while (latches[me].held.exchange(1, std::memory_order_acquire) != 0)
        ;
      guarded[me].sum += i;
      latches[me].held.store(0, std::memory_order_release);
    }
  });
  std::printf("%ld\n", guarded[3].sum);
}
