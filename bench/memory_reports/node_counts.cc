// Searchers count the nodes that they visited in one number. Mended, each has a number
// on a line of its own, stored without an atomic addition, and the first one reads all
// of them now and then. github.com/codedeliveryservice/Reckless/pull/871
// expect: true sharing, visited
// fixed: quiet
#include <atomic>

#include "run.h"
struct alignas(128) Count {
  std::atomic<unsigned long> nodes{0};
};
#ifdef FIXED
static Count visited[4];
#else
static Count visited[1];
#endif
struct alignas(128) Board {
  volatile long square[64] = {};
};
static Board boards[4];
int main() {
  run(4, [](int me) {
    unsigned long seen = 0;
    for (int i = 0; i < 12000; ++i) {
      for (int k = 0; k < 6; ++k)
        boards[me].square[(i + k * 7) % 64] += k;
#ifdef FIXED
      std::atomic<unsigned long>& own = visited[me].nodes;
      own.store(own.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      if (me == 0 && i % 4096 == 0)
        for (const Count& count : visited)
          seen += count.nodes.load(std::memory_order_relaxed);
#else
      visited[0].nodes.fetch_add(1, std::memory_order_relaxed);
#endif
    }
    boards[me].square[0] = long(seen);
  });
  std::printf("%lu\n", visited[0].nodes.load());
}
