// A transpose of 512 by 512 floats, whose columns lie 2 KiB apart. Mended, the rows are 16 floats longer.
// github.com/robertknight/rten/issues/66
// expect: set conflict|capacity, source
// fixed: quiet
#include "run.h"
constexpr int kN = 512;
#ifdef FIXED
constexpr int kRow = kN + 16;
#else
constexpr int kRow = kN;
#endif
alignas(4096) static volatile float source[kN][kRow];
struct alignas(128) Out {
  volatile float column[kN];
};
static Out out[2];
int main() {
  run(2, [](int me) {
    for (int column = me * 64; column < me * 64 + 64; ++column)
      for (int row = 0; row < kN; ++row)
        out[me].column[row] = source[row][column];
  });
  std::printf("%g\n", double(out[1].column[5]));
}
