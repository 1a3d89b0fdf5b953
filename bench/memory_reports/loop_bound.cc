// The length of the test lies beside the index that the producer writes, and the consumer loads it in
// every round. github.com/facebook/folly/pull/378
// expect: false sharing, bench
#include "run.h"
alignas(128) static struct {
  volatile long write_index = 0, length = 60000;
  char unused[112];
} bench;
static volatile long items[64];
int main() {
  const long length = bench.length;
  run(2, [length](int me) {
    if (me == 0)
      for (long i = 0; i < length; ++i)
        bench.write_index = i;
    else
      for (long i = 0; i < bench.length; ++i)
        items[i % 64] += i;
  });
  std::printf("%ld\n", items[1]);
}
