// Top and bottom of a queue that others steal from are neighbours: thieves watch and move the top, the owner
// the bottom. github.com/JuliaLang/julia/pull/52994
// expect: false sharing|true sharing|lock, tasks
#include <atomic>

#include "run.h"
alignas(128) static struct {
  std::atomic<long> top{0}, bottom{0};
  char unused[112];
} tasks;
static std::atomic<bool> done{false};
int main() {
  run(3, [](int me) {
    if (me == 0) {
      for (int i = 0; i < 40000; ++i)
        tasks.bottom.store(tasks.bottom.load(std::memory_order_relaxed) + (i % 2 ? -1 : 1));
      done = true;
    }
    while (!done) {
      long top = tasks.top.load();
      tasks.top.compare_exchange_strong(top, top + 1);
    }
  });
  std::printf("%ld\n", tasks.top.load());
}
