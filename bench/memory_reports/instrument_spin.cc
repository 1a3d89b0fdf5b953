// A spin lock guards the storage of an instrument that four threads count with.
// github.com/open-telemetry/opentelemetry-cpp/pull/3898
// expect: lock, storage
// never: lines of|pad
#include <atomic>

#include "run.h"
alignas(128) static struct {
  std::atomic<bool> busy{false};
  char unused[127];
  double sums[16];
} storage;
int main() {
  run(4, [](int me) {
    for (int i = 0; i < 10000; ++i) {
      while (storage.busy.exchange(true, std::memory_order_acquire))
        while (storage.busy.load(std::memory_order_relaxed))
          std::this_thread::yield();
      storage.sums[(i + me) % 16] += i;
      storage.busy.store(false, std::memory_order_release);
    }
  });
  std::printf("%g\n", storage.sums[1]);
}
