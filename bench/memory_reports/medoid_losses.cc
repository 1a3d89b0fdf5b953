// A loop over candidates in turn adds to the loss of each, and neighbours belong to
// other threads. Mended, a thread has adjacent candidates and adds in a register.
// github.com/motiwari/BanditPAM/issues/27
// expect: false sharing, losses
// fixed: quiet
#include "run.h"
alignas(128) static volatile double losses[64];
alignas(128) static double distances[64];
int main() {
  for (int i = 0; i < 64; ++i)
    distances[i] = i * 0.5;
  run(4, [](int me) {
    for (int k = 0; k < 16; ++k) {
#ifdef FIXED
      const int candidate = me * 16 + k;
      double loss = 0;
      for (int point = 0; point < 1500; ++point)
        loss += distances[point % 64];
      losses[candidate] = loss;
#else
      const int candidate = k * 4 + me;
      for (int point = 0; point < 1500; ++point)
        losses[candidate] += distances[point % 64];
#endif
    }
  });
  std::printf("%g\n", losses[9]);
}
