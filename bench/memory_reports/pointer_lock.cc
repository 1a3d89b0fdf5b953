// One spin lock for all shared pointers of a program. Mended, the address chooses one of a pool of locks.
// github.com/microsoft/STL/issues/618
// expect: lock, pointer_locks
// fixed: quiet
#include <atomic>
#include <memory>

#include "run.h"
struct alignas(128) Lock {
  std::atomic<bool> held{false};
};
static Lock pointer_locks[16];
struct alignas(128) Slot {
  std::shared_ptr<int> value;
};
static Slot slots[4];
static Lock& lock_of(int slot) {
#ifdef FIXED
  return pointer_locks[slot];
#else
  return pointer_locks[0 * slot];
#endif
}
int main() {
  for (Slot& slot : slots)
    slot.value = std::make_shared<int>(1);
  run(4, [](int me) {
    long sum = 0;
    for (int i = 0; i < 8000; ++i) {
      Lock& lock = lock_of(me);
      while (lock.held.exchange(true, std::memory_order_acquire))
        std::this_thread::yield();
      const std::shared_ptr<int> copy = slots[me].value;
      lock.held.store(false, std::memory_order_release);
      sum += *copy;
    }
    std::printf("%ld\n", sum);
  });
}
