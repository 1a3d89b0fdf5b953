// One thread fills the array that all nodes then work on. Mended, each thread fills its own part.
// github.com/kokkos/kokkos/issues/4600
// nodes: 2
// expect: remote memory, view
// fixed: quiet
#include "run.h"
constexpr long kPart = 1 << 17;
alignas(4096) static volatile double view[4][kPart];
struct alignas(128) Sum {
  double value = 0;
};
static Sum sums[4];
int main() {
#ifndef FIXED
  for (auto& part : view)
    for (long i = 0; i < kPart; ++i)
      part[i] = 1;
#endif
  run(4, [](int me) {
#ifdef FIXED
    for (long i = 0; i < kPart; ++i)
      view[me][i] = 1;
#endif
    double sum = 0;
    for (int round = 0; round < 2; ++round)
      for (long i = 0; i < kPart; ++i)
        sum += view[me][i];
    sums[me].value = sum;
  });
  std::printf("%g\n", sums[3].value);
}
