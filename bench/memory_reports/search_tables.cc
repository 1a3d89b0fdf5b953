// The main thread makes and clears the tables of all searchers.
// github.com/official-stockfish/Stockfish/pull/466
// nodes: 2
// expect: remote memory, tables
#include "run.h"
constexpr unsigned kWords = 1u << 19;
alignas(4096) static volatile long tables[4][kWords];
int main() {
  for (auto& table : tables)
    for (unsigned i = 0; i < kWords; i += 8)
      table[i] = 1;
  run(4, [](int me) {
    unsigned at = unsigned(me);
    for (int i = 0; i < 60000; ++i) {
      at = at * 1664525u + 1013904223u;
      tables[me][at % kWords] += at;
    }
  });
  std::printf("%ld\n", tables[1][5]);
}
