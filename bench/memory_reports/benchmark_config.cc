// Counters of requests share a line with settings that all clients only read. Mended, they have a line.
// github.com/redis/redis/pull/15439
// expect: false sharing|true sharing, config
// fixed: quiet
#include <atomic>

#include "run.h"
#ifdef FIXED
constexpr int kEvery = 4096;  // requests a client takes at a time
#else
constexpr int kEvery = 1;
#endif
struct alignas(128) Config {
  volatile int requests = 1 << 30;
  volatile int pipeline = 4;
#ifdef FIXED
  alignas(128)
#endif
      std::atomic<int> issued{0};
};
static Config config;
struct alignas(128) Client {
  volatile long sent = 0;
};
static Client clients[4];
int main() {
  run(4, [](int me) {
    for (int i = 0; i < 20000; ++i) {
      for (int k = 0; k < config.pipeline; ++k)
        clients[me].sent += k;
      if (clients[me].sent < config.requests && i % kEvery == 0)
        config.issued.fetch_add(kEvery, std::memory_order_relaxed);
    }
  });
  std::printf("%d\n", config.issued.load());
}
