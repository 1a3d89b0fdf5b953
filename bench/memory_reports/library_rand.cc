// Threads that draw from rand() wait for its lock, which lies in the C library.
// github.com/facebookresearch/DCPerf/pull/64
// expect: cannot judge
#include "run.h"
struct alignas(128) Sum {
  volatile long value = 0;
};
static Sum sums[4];
int main() {
  run(4, [](int me) {
    long sum = 0;
    for (int i = 0; i < 200000; ++i)
      sum += rand();
    sums[me].value = sum;
  });
  std::printf("%ld\n", sums[1].value);
}
