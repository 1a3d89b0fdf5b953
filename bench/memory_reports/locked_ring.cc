// A ring behind a mutex, with much work on each packet. Lines of their own for its sides changed nothing.
// github.com/ska-sa/spead2/issues/31
// expect: quiet
#include <condition_variable>
#include <mutex>

#include "run.h"
static struct {
  std::mutex mutex;
  std::condition_variable moved;
  int head = 0, tail = 0, items[16];
} ring;
static int work(int x) {
  alignas(128) static thread_local volatile int state[256];
  for (int i = 0; i < 3000; ++i)
    state[i % 256] += x;
  return state[7];
}
int main() {
  run(2, [](int me) {
    int sum = 0;
    for (int i = 0; i < 200; ++i) {
      const int made = me == 0 ? work(i) : 0;
      std::unique_lock<std::mutex> held(ring.mutex);
      ring.moved.wait(held, [me] {
        return me == 0 ? ring.tail - ring.head < 16 : ring.tail > ring.head;
      });
      int& item = ring.items[(me == 0 ? ring.tail++ : ring.head++) % 16];
      me == 0 ? void(item = made) : void(sum += item);
      held.unlock();
      ring.moved.notify_one();
      if (me == 1)
        sum += work(sum);
    }
    if (me == 1)
      std::printf("%d\n", sum);
  });
}
