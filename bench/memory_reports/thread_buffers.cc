// The main thread fills the send and receive buffers of all threads. Mended, each thread fills its own.
// github.com/uiuc-hpc/lci/pull/68
// nodes: 2
// expect: remote memory, buffers
// fixed: quiet
#include "run.h"
constexpr int kWords = 1 << 18;
alignas(4096) static volatile long buffers[4][kWords];
static void fill(int thread) {
  for (int i = 0; i < kWords; i += 8)
    buffers[thread][i] = i;
}
int main() {
#ifndef FIXED
  for (int thread = 0; thread < 4; ++thread)
    fill(thread);
#endif
  run(4, [](int me) {
#ifdef FIXED
    fill(me);
#endif
    for (int message = 0; message < 6; ++message)
      for (int i = 0; i < kWords; i += 8)
        buffers[me][i] += message;
  });
  std::printf("%ld\n", buffers[3][8]);
}
