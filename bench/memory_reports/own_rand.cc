// Each thread draws from a state of its own. github.com/jdolan/quetoo/issues/341
// expect: quiet
#include "run.h"
struct alignas(128) Sum {
  volatile unsigned state = 1;
  volatile long value = 0;
};
static Sum sums[4];
int main() {
  run(4, [](int me) {
    for (int i = 0; i < 40000; ++i) {
      sums[me].state = 1103515245u * sums[me].state + 12345u;
      sums[me].value += sums[me].state & 0x7fffffff;
    }
  });
  std::printf("%ld\n", sums[1].value);
}
