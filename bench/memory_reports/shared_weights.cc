// One copy of a network's weights, read by the threads of both nodes. Mended, each node has a copy, which a
// thread of the node makes. github.com/official-stockfish/Stockfish/pull/5285
// nodes: 2
// expect: remote memory, weights
// fixed: quiet
#include "run.h"
constexpr long kWeights = 1 << 19;
#ifdef FIXED
constexpr int kCopies = 2;
#else
constexpr int kCopies = 1;
#endif
alignas(4096) static volatile short weights[kCopies][kWeights];
struct alignas(128) Sum {
  long value = 0;
};
static Sum sums[4];
int main() {
  // Threads 0 and 1 are on the first node, 2 and 3 on the second.
  const auto node_of = [](int me) {
    return me / 2 % kCopies;
  };
  run(4, [&](int me) {
    if (me % 2 == 0 && me / 2 < kCopies)
      for (long i = 0; i < kWeights; ++i)
        weights[node_of(me)][i] = short(i);
  });
  run(4, [&](int me) {
    long sum = 0;
    unsigned long place = (unsigned long)me;
    for (int i = 0; i < 40000; ++i) {
      place = place * 6364136223846793005UL + 1442695040888963407UL;
      sum += weights[node_of(me)][(place >> 33) % kWeights];
    }
    sums[me].value = sum;
  });
  std::printf("%ld\n", sums[3].value);
}
