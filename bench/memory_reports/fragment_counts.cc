// Every fragment raises several counts that all workers share. Mended, a worker adds its counts at its end.
// github.com/COMBINE-lab/salmon/issues/1084
// expect: true sharing, counts
// fixed: quiet
#include <atomic>

#include "run.h"
alignas(128) static struct {
  std::atomic<unsigned long> processed{0}, mapped{0}, orphan{0}, decoy{0};
  char unused[96];
} counts;
int main() {
  run(4, [](int me) {
    unsigned long processed = 0, mapped = 0, orphan = 0;
    unsigned seed = unsigned(me) + 7;
    for (int i = 0; i < 15000; ++i) {
      seed = seed * 1664525 + 1013904223;
#ifdef FIXED
      ++processed;
      mapped += seed >> 31;
      orphan += seed >> 28 == 3;
#else
      counts.processed.fetch_add(1, std::memory_order_relaxed);
      if (seed >> 31)
        counts.mapped.fetch_add(1, std::memory_order_relaxed);
      if (seed >> 28 == 3)
        counts.orphan.fetch_add(1, std::memory_order_relaxed);
#endif
    }
    counts.processed.fetch_add(processed);
    counts.mapped.fetch_add(mapped);
    counts.orphan.fetch_add(orphan);
  });
  std::printf("%lu\n", counts.processed.load());
}
