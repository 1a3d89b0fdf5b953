// Threads look names up in one cache behind a mutex. Mended, each has a cache of its own.
// github.com/doxygen/doxygen/pull/12027
// expect: lock, cache
// fixed: quiet
#include <mutex>

#include "run.h"
struct alignas(128) Cache {
  std::mutex mutex;
  long key[256] = {};
  long value[256] = {};
};
#ifdef FIXED
static Cache cache[4];
#else
static Cache cache[1];
#endif
static long resolve(Cache& in, unsigned key) {
  std::lock_guard<std::mutex> hold(in.mutex);
  const unsigned place = key % 256;
  if (in.key[place] != long(key)) {
    in.key[place] = long(key);
    in.value[place] = long(key) * 3;
  }
  return in.value[place];
}
int main() {
  run(4, [](int me) {
    unsigned at = unsigned(me) + 1;
    long sum = 0;
    for (int i = 0; i < 10000; ++i) {
      at = at * 1664525u + 1013904223u;
      sum += resolve(cache[std::size_t(me) % (sizeof cache / sizeof cache[0])], at >> 22);
    }
    if (sum == 1)
      std::puts("one");
  });
  std::puts("done");
}
