// Every request counts in one atomic of the server. github.com/envoyproxy/envoy/issues/509
// expect: true sharing|lock, requests
// advice: each thread
// never: lines of|pad
#include <atomic>

#include "run.h"
alignas(128) static std::atomic<long> requests{0};
struct alignas(128) Slot {
  volatile long work = 0;
};
static Slot slots[4];
int main() {
  run(4, [](int me) {
    for (int i = 0; i < 20000; ++i) {
      slots[me].work += i;
      requests.fetch_add(1, std::memory_order_relaxed);
    }
  });
  std::printf("%ld\n", requests.load());
}
