// Parts of one array, one for each thread, begin within lines. Aligned parts were measured to gain nothing.
// github.com/neuronsimulator/nrn/pull/2951
// expect: quiet
// fixed: quiet
#include "run.h"
constexpr int kSegments = 1500;
#ifdef FIXED
constexpr int kPart = kSegments + 4;
#else
constexpr int kPart = kSegments + 3;
#endif
alignas(128) static volatile double voltage[4 * kPart];
alignas(128) static volatile double current[4 * kPart];
int main() {
  run(4, [](int me) {
    for (int step = 0; step < 12; ++step)
      for (int i = me * kPart; i < me * kPart + kSegments; ++i) {
        current[i] = current[i] * 0.9 + voltage[i];
        voltage[i] = voltage[i] - 0.1 * current[i];
      }
  });
  std::printf("%g\n", voltage[7] + 0);
}
