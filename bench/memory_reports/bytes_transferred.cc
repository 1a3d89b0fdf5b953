// All streams add what they received to one number. Mended, each adds to its own,
// and the total is made at the end. github.com/microsoft/ntttcp-for-linux/issues/40
// expect: true sharing, total_bytes
// fixed: quiet
#include <atomic>

#include "run.h"
alignas(128) static std::atomic<unsigned long> total_bytes{0};
struct alignas(128) Stream {
  volatile char buffer[128] = {};
  unsigned long bytes = 0;
};
static Stream streams[4];
int main() {
  run(4, [](int me) {
    for (int i = 0; i < 12000; ++i) {
      for (int k = 0; k < 8; ++k)
        streams[me].buffer[k * 8] = char(i);
#ifdef FIXED
      streams[me].bytes += 64;
#else
      total_bytes.fetch_add(64);
#endif
    }
    total_bytes.fetch_add(streams[me].bytes);
  });
  std::printf("%lu\n", total_bytes.load());
}
