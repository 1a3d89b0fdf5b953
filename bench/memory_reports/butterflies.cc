// Stages of a transform gather values that lie a power of two apart. Mended, parts are a line longer.
// github.com/smu160/PhastFT/issues/73
// expect: set conflict|capacity, values
// fixed: quiet
#include "run.h"
constexpr int kRows = 64;
#ifdef FIXED
constexpr int kPart = 512 + 8;
#else
constexpr int kPart = 512;
#endif
alignas(4096) static volatile double values[2][kRows][kPart];
int main() {
  run(2, [](int me) {
    for (int pass = 0; pass < 6; ++pass)
      for (int k = 0; k < 64; ++k)
        for (int half = kRows / 2; half > 0; half /= 2)
          for (int row = 0; row < kRows; ++row)
            if ((row & half) == 0) {
              const double a = values[me][row][k];
              const double b = values[me][row | half][k];
              values[me][row][k] = a + b;
              values[me][row | half][k] = a - b;
            }
  });
  std::printf("%g\n", values[1][5][7] + 0);
}
