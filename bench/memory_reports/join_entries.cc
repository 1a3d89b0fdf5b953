// Probes of a join hit the entries of a large table at random. github.com/duckdb/duckdb/pull/25869
// expect: address translation|capacity, entries
#include "run.h"
constexpr unsigned kEntries = 1u << 24;
static volatile long entries[kEntries];
struct alignas(128) Sum {
  long value = 0;
};
static Sum sums[2];
int main() {
  run(2, [](int me) {
    unsigned at = unsigned(me) * 77777u;
    long sum = 0;
    for (int i = 0; i < 150000; ++i) {
      at = at * 1664525u + 1013904223u;
      sum += entries[(at >> 7) % kEntries];
    }
    sums[me].value = sum;
  });
  std::printf("%ld\n", sums[1].value);
}
