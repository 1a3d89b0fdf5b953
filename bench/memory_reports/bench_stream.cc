// The first thread of a group initialises the streams that all of it read.
// github.com/RRZE-HPC/likwid/issues/210
// nodes: 2
// expect: remote memory, streams
#include "run.h"
constexpr long kLength = 1 << 18;
alignas(4096) static volatile double streams[4][kLength];
struct alignas(128) Sum {
  double value = 0;
};
static Sum sums[4];
int main() {
  for (int t = 4; t-- > 0;)
    for (long i = 0; i < kLength; ++i)
      streams[t][i] = 1;
  run(4, [](int me) {
    double sum = 0;
    for (long i = 0; i < kLength; ++i)
      sum += streams[me][i];
    sums[me].value = sum;
  });
  std::printf("%g\n", sums[3].value);
}
