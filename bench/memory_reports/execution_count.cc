// Threads that run the same bytecode count its runs beside the code that they read. Mended, every 1024th is
// counted by each thread for itself. github.com/danwt/specl/issues/76
// expect: true sharing|false sharing, bytecode
// fixed: quiet
#include <atomic>

#include "run.h"
struct alignas(128) Bytecode {
  std::atomic<unsigned> runs{0};
  volatile unsigned char code[24];
};
static Bytecode bytecode;
struct alignas(128) Machine {
  volatile long stack[8];
  volatile unsigned runs = 0;
};
static Machine machines[4];
int main() {
  for (int i = 0; i < 24; ++i)
    bytecode.code[i] = (unsigned char)(i % 8);
  run(4, [](int me) {
    Machine& own = machines[me];
    for (int i = 0; i < 6000; ++i) {
#ifdef FIXED
      if (i % 1024 == 0)
        own.runs = own.runs + 1;
#else
      bytecode.runs.fetch_add(1, std::memory_order_relaxed);
#endif
      for (int k = 0; k < 24; ++k)
        own.stack[bytecode.code[k]] += k;
    }
  });
  std::printf("%u\n", bytecode.runs.load());
}
