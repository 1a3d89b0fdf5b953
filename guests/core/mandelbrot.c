/* The Mandelbrot set in 4.12 fixed point, 160 x 120, 40 rounds: multiplications and an exit branch. */
#include "core.h"
int main(void) {
  int inside = 0;
  for (int py = 0; py < 120; ++py)
    for (int px = 0; px < 160; ++px) {
      const int32_t cx = (px - 110) * 80, cy = (py - 60) * 80;
      int32_t x = 0, y = 0, n = 0;
      for (; n < 40; ++n) {
        const int32_t xx = x * x >> 12, yy = y * y >> 12;
        if (xx + yy > 4 << 12) break;
        y = (x * y >> 11) + cy;
        x = xx - yy + cx;
      }
      inside += n == 40;
    }
  return inside == 0;
}
