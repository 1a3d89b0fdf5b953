// Connections try the lock of one stripe of a cache until they have it. Mended, each
// thread has a stripe. github.com/apache/trafficserver/pull/12839
// expect: lock, stripes
// fixed: quiet
#include <atomic>
#include <thread>

#include "run.h"
struct alignas(128) Stripe {
  std::atomic<int> busy{0};
  volatile long directory[24] = {};
};
#ifdef FIXED
static Stripe stripes[4];
#else
static Stripe stripes[1];
#endif
int main() {
  run(4, [](int me) {
    Stripe& stripe = stripes[std::size_t(me) % (sizeof stripes / sizeof stripes[0])];
    for (int i = 0; i < 6000; ++i) {
      while (stripe.busy.exchange(1, std::memory_order_acquire) != 0)
        std::this_thread::yield();
      for (int k = 0; k < 4; ++k)
        stripe.directory[(i + k) % 24] += 1;
      stripe.busy.store(0, std::memory_order_release);
    }
  });
  std::printf("%ld\n", stripes[0].directory[3]);
}
