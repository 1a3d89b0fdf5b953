// Each searcher makes and clears its own table. github.com/Ciekce/Stormphrax/pull/255
// nodes: 2
// expect: quiet
#include "run.h"
constexpr unsigned kWords = 1u << 16;
alignas(4096) static volatile long tables[4][kWords];
int main() {
  run(4, [](int me) {
    for (unsigned i = 0; i < kWords; ++i)
      tables[me][i] = 1;
    for (unsigned round = 0; round < 2; ++round)
      for (unsigned i = 0; i < kWords; ++i)
        tables[me][i] += round;
  });
  std::printf("%ld\n", tables[1][5]);
}
