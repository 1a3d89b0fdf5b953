// Each worker has a queue and a mutex of its own. github.com/salesforce/p4-fusion/pull/5
// expect: quiet
#include <deque>
#include <mutex>

#include "run.h"
struct alignas(128) Queue {
  std::mutex mutex;
  std::deque<int> tasks;
  volatile long result = 0;
};
static Queue queues[4];
int main() {
  run(4, [](int me) {
    Queue& own = queues[me];
    for (int i = 0; i < 5000; ++i) {
      std::lock_guard<std::mutex> held(own.mutex);
      own.tasks.push_back(i);
    }
    for (bool any = true; any;) {
      std::lock_guard<std::mutex> held(own.mutex);
      own.result += own.tasks.front();
      own.tasks.pop_front();
      any = !own.tasks.empty();
    }
  });
  std::printf("%ld\n", queues[1].result);
}
