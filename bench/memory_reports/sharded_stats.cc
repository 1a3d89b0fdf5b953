// Statistics in a counter for each thread, added up when they are read.
// github.com/valkey-io/valkey-search/pull/622
// expect: quiet
#include <atomic>

#include "run.h"
struct alignas(128) Shard {
  std::atomic<long> count{0};
};
static Shard shards[4];
static volatile long totals[16];
int main() {
  run(5, [](int me) {
    for (int i = 0; me < 4 && i < 30000; ++i)
      shards[me].count.store(shards[me].count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    for (int i = 0; me == 4 && i < 16; ++i)
      for (Shard& shard : shards)
        totals[i] += shard.count.load(std::memory_order_relaxed);
  });
  std::printf("%ld\n", totals[15]);
}
