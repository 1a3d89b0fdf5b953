// The two words of a barrier are in one line: who waits on one holds up who arrives at the other.
// github.com/ggml-org/llama.cpp/issues/9588
// expect: false sharing|true sharing|lock, pool
#include <atomic>

#include "run.h"
alignas(128) static struct {
  std::atomic<int> arrived{0}, passed{0};
  char unused[120];
} pool;
static void wait_for_all() {
  const int round = pool.passed.load(std::memory_order_relaxed);
  if (pool.arrived.fetch_add(1) == 3) {
    pool.arrived.store(0);
    pool.passed.fetch_add(1);
    return;
  }
  while (pool.passed.load() == round)
    std::this_thread::yield();
  pool.passed.fetch_add(0);
}
int main() {
  run(4, [](int) {
    for (int i = 0; i < 3000; ++i)
      wait_for_all();
  });
  std::printf("%d\n", pool.passed.load());
}
