// Mapped counters all begin with a page, so that they fall into one set. Mended, each has another line of it.
// github.com/snabbco/snabb/pull/558
// expect: set conflict, pages
// fixed: quiet
#include "run.h"
constexpr int kCounters = 24;
struct alignas(4096) Page {
  volatile long line[64][8];
};
static Page pages[2][kCounters];
static long line_of(int counter) {
#ifdef FIXED
  return counter * 5 % 64;
#else
  return 0 * counter;
#endif
}
int main() {
  run(2, [](int me) {
    for (int packet = 0; packet < 3000; ++packet)
      for (int counter = 0; counter < kCounters; ++counter)
        pages[me][counter].line[line_of(counter)][0] += packet;
  });
  std::printf("%ld\n", pages[1][3].line[0][0] + 0);
}
