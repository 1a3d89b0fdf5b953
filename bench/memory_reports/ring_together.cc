// Head and tail of a ring lie together. The reporter padded them and it was no faster, since each side
// needs both. github.com/agerasev/ringbuf/issues/7
// expect: quiet
// allow: at a time
#include <atomic>

#include "run.h"
static struct {
  std::atomic<size_t> head{0}, tail{0};
  long items[1024];
} ring;
int main() {
  const size_t length = 40000;
  run(2, [length](int me) {
    long sum = 0;
    for (size_t i = 0; i < length; ++i) {
      if (me == 0) {
        while (i - ring.head.load(std::memory_order_acquire) == 1024)
          std::this_thread::yield();
        ring.items[i % 1024] = long(i);
        ring.tail.store(i + 1, std::memory_order_release);
      } else {
        while (ring.tail.load(std::memory_order_acquire) == i)
          std::this_thread::yield();
        sum += ring.items[i % 1024];
        ring.head.store(i + 1, std::memory_order_release);
      }
    }
    if (me == 1)
      std::printf("%ld\n", sum);
  });
}
