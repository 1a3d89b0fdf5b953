// A sequence lock whose writer never rests: readers fetch the sequence and the value after every write.
// Mended, the writer writes once in 2,000 reads.
// github.com/solana-labs/solana/pull/33696
// expect: true sharing|lock, account
// fixed: quiet
#include <atomic>

#include "run.h"
alignas(128) static struct {
  std::atomic<unsigned> sequence{0};
  std::atomic<unsigned long> hash[4];
} account;
struct alignas(128) Sum {
  volatile unsigned long value = 0;
};
static Sum sums[4];
int main() {
  run(4, [](int me) {
#ifdef FIXED
    constexpr int kRest = 2000;
#else
    constexpr int kRest = 1;
#endif
    for (int i = 0; i < 20000; ++i) {
      if (me == 0) {
        sums[0].value += unsigned(i);
        if (i % kRest != 0)
          continue;
        const unsigned before = account.sequence.load(std::memory_order_relaxed);
        account.sequence.store(before + 1, std::memory_order_release);
        for (auto& word : account.hash)
          word.store(unsigned(i), std::memory_order_release);
        account.sequence.store(before + 2, std::memory_order_release);
        continue;
      }
      unsigned before, after;
      unsigned long sum;
      do {
        before = account.sequence.load(std::memory_order_acquire);
        sum =
            account.hash[0].load(std::memory_order_acquire) + account.hash[3].load(std::memory_order_acquire);
        after = account.sequence.load(std::memory_order_acquire);
      } while (before != after || before % 2 != 0);
      sums[me].value += sum;
    }
  });
  std::printf("%lu\n", sums[3].value);
}
