// Both sides of a ring count its empty places in one atomic. Leaving it out was 13 times as fast.
// github.com/rwilliamspbg-ops/Ghostlink/pull/35
// expect: true sharing|lock, empty
// never: lines of|pad
#include <atomic>

#include "run.h"
alignas(128) static std::atomic<long> empty{1024};
alignas(128) static std::atomic<long> head{0};
alignas(128) static std::atomic<long> tail{0};
alignas(128) static long items[1024];
int main() {
  run(2, [](int me) {
    long sum = 0;
    for (long i = 0; i < 40000; ++i) {
      while (me == 0 ? empty.load() == 0 : empty.load() == 1024)
        std::this_thread::yield();
      if (me == 0) {
        items[i % 1024] = i;
        tail.store(i + 1, std::memory_order_release);
        empty.fetch_sub(1);
      } else {
        sum += items[i % 1024];
        head.store(i + 1, std::memory_order_release);
        empty.fetch_add(1);
      }
    }
    std::printf("%ld\n", sum);
  });
}
