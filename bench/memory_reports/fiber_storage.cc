// One array holds what each worker thread keeps for itself, 40 bytes each. Mended, each has its own lines.
// github.com/RichieSams/FiberTaskingLib/issues/32
// expect: false sharing, storage
// fixed: quiet
#include "run.h"
#ifdef FIXED
struct alignas(128) ThreadStorage {
#else
struct ThreadStorage {
#endif
  volatile long fiber = 0, old_fiber = 0, queue = 0, steals = 0, state = 0;
};
alignas(128) static ThreadStorage storage[4];
int main() {
  run(4, [](int me) {
    for (int i = 0; i < 15000; ++i) {
      storage[me].old_fiber = storage[me].fiber;
      storage[me].fiber = i;
      storage[me].steals = storage[me].steals + 1;
    }
  });
  std::printf("%ld\n", storage[3].steals);
}
