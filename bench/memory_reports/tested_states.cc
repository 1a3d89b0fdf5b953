// Each block of tested states is added to one count. Mended, 64 blocks are added at a time.
// github.com/aczid/crypto1_bs/pull/55
// expect: true sharing, tested
// fixed: quiet
#include <atomic>

#include "run.h"
alignas(128) static std::atomic<unsigned long> tested{0};
struct alignas(128) Bits {
  volatile unsigned word[32];
};
static Bits bits[4];
int main() {
  run(4, [](int me) {
    unsigned long own = 0;
    for (int block = 0; block < 12000; ++block) {
      for (int i = 0; i < 8; ++i)
        bits[me].word[i] = bits[me].word[i] * 3 + unsigned(block);
#ifdef FIXED
      own += 256;
      if (block % 64 == 63) {
        tested.fetch_add(own, std::memory_order_relaxed);
        own = 0;
      }
#else
      tested.fetch_add(256, std::memory_order_relaxed);
#endif
    }
    tested.fetch_add(own);
  });
  std::printf("%lu\n", tested.load());
}
