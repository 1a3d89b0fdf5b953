// Each thread counts the memory that it holds in one word of an array, and one thread sums the array.
// Mended, each word has a line. github.com/valkey-io/valkey/pull/4107
// expect: false sharing, used_memory
// fixed: quiet
#include "run.h"
#ifdef FIXED
struct alignas(128) Count {
  volatile unsigned long bytes;
};
#else
struct Count {
  volatile unsigned long bytes;
};
#endif
alignas(128) static Count used_memory[16];
struct alignas(128) Block {
  volatile long word[16];
};
static Block blocks[4];
int main() {
  run(4, [](int me) {
    unsigned long seen = 0;
    for (int i = 0; i < 30000; ++i) {
      blocks[me].word[i % 16] = i;
      used_memory[me].bytes += 64;
      if (me == 0 && i % 256 == 0)
        for (const Count& count : used_memory)
          seen += count.bytes;
    }
    blocks[me].word[0] = long(seen);
  });
  std::printf("%lu\n", used_memory[1].bytes + 0);
}
