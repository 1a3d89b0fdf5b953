// Every request adds to one sum and raises one maximum. Mended, each thread keeps its own.
// github.com/pinpoint-apm/pinpoint-go-agent/issues/152
// expect: true sharing, response
// fixed: quiet
#include <atomic>

#include "run.h"
struct alignas(128) Response {
  std::atomic<long> sum{0};
  std::atomic<long> most{0};
};
static Response response[4];
static void collect(Response& r, long time) {
  r.sum.fetch_add(time, std::memory_order_relaxed);
  long most = r.most.load(std::memory_order_relaxed);
  while (time > most && !r.most.compare_exchange_weak(most, time)) {
  }
}
int main() {
  run(4, [](int me) {
#ifdef FIXED
    Response& own = response[me];
#else
    Response& own = response[0 * me];
#endif
    for (int i = 0; i < 15000; ++i)
      collect(own, i * 7919L % 10007 + i / 8);
  });
  std::printf("%ld\n", response[0].most.load());
}
