// Each side keeps what it last read of the other's index, and looks again when that is used up.
// rigtorp.se/ringbuffer
// expect: quiet
// allow: at a time
#include <atomic>

#include "run.h"
struct alignas(128) Side {
  std::atomic<size_t> index{0};
  alignas(128) size_t seen = 0;
};
static Side reader, writer;
alignas(128) static long items[4096];
int main() {
  run(2, [](int me) {
    long sum = 0;
    Side& own = me == 0 ? writer : reader;
    Side& other = me == 0 ? reader : writer;
    for (size_t i = 0; i < 80000; ++i) {
      while (me == 0 ? i - own.seen == 4096 : own.seen == i) {
        own.seen = other.index.load(std::memory_order_acquire);
        std::this_thread::yield();
      }
      if (me == 0)
        items[i % 4096] = long(i);
      else
        sum += items[i % 4096];
      own.index.store(i + 1, std::memory_order_release);
    }
    std::printf("%ld\n", sum);
  });
}
