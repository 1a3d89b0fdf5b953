// Chooses the dense core that the processor can run: AVX2 where it is present, else the baseline.
#include "memory/mine/itemset/itemset_dense.h"

namespace lento::memory {

void search_dense(SetKind kind, const DenseTask& task, Arena& arena, SetOutput& output) {
#if defined(__x86_64__)
  static const bool fast =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  if (fast)
    return avx2::search_dense(kind, task, arena, output);
#endif
  baseline::search_dense(kind, task, arena, output);
}

}  // namespace lento::memory
