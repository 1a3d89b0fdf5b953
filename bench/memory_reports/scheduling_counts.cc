// Counters of the scheduler are kept by kind, in a vector of one element a thread.
// github.com/TheHPXProject/hpx/issues/3612
// expect: false sharing, scheduling_counts
#include "run.h"
struct Pool {
  std::vector<long> idle, busy;
  explicit Pool(int threads)
      : idle(threads),
        busy(threads) {
  }
};
int main() {
  Pool pool(4);
  run(4, [&pool](int me) {
    volatile long* idle = &pool.idle[me];
    volatile long* busy = &pool.busy[me];
    for (int i = 0; i < 20000; ++i)
      ++*(i % 3 ? idle : busy);
  });
  std::printf("%ld\n", pool.idle[1]);
}
