// A convolution reads one pixel of 64 blocks of channels, which are 16 KiB apart.
// Mended, a block is a line longer. github.com/uxlfoundation/oneDNN/issues/1412
// expect: set conflict|capacity, activations
// fixed: quiet
#include "run.h"
#ifdef FIXED
constexpr int kBlock = 4096 + 16;
#else
constexpr int kBlock = 4096;
#endif
alignas(4096) static volatile float activations[64 * kBlock + 4096];
struct alignas(128) Output {
  volatile float value = 0;
};
static Output outputs[2];
int main() {
  run(2, [](int me) {
    for (int round = 0; round < 300; ++round)
      for (int pixel = 0; pixel < 4; ++pixel)
        for (int block = 0; block < 64; ++block)
          outputs[me].value = outputs[me].value + activations[block * kBlock + me * 1024 + pixel];
  });
  std::printf("%g\n", outputs[0].value);
}
