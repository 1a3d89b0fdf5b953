// All workers take trivial tasks from one queue behind one mutex. github.com/sogou/workflow/issues/878
// expect: lock|true sharing, queue
// advice: lock|tasks at a time|split
#include <condition_variable>
#include <deque>
#include <mutex>

#include "run.h"
struct Queue {
  std::mutex mutex;
  std::condition_variable more;
  std::deque<int> tasks;
  bool closed = false;
};
static Queue queue;
static volatile long results[5 * 16];
int main() {
  run(5, [](int me) {
    for (int i = 0; me == 0 && i < 20000; ++i) {
      std::lock_guard<std::mutex> held(queue.mutex);
      queue.tasks.push_back(i);
      queue.closed = i + 1 == 20000;
      queue.more.notify_one();
    }
    while (me > 0) {
      std::unique_lock<std::mutex> held(queue.mutex);
      queue.more.wait(held, [] {
        return !queue.tasks.empty() || queue.closed;
      });
      if (queue.tasks.empty())
        break;
      results[me * 16] += queue.tasks.front();
      queue.tasks.pop_front();
    }
    queue.more.notify_all();
  });
  std::printf("%ld\n", results[16]);
}
