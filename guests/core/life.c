/* Conway's life on a 128 x 128 torus, 12 generations; a glider stays five cells. */
#include "core.h"
enum { N = 128 };
static uint8_t now[N][N], then[N][N];
int main(void) {
  now[1][2] = now[2][3] = now[3][1] = now[3][2] = now[3][3] = 1;
  for (int g = 0; g < 12; ++g) {
    for (int y = 0; y < N; ++y)
      for (int x = 0; x < N; ++x) {
        int around = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            if (dx || dy) around += now[(y + dy) & (N - 1)][(x + dx) & (N - 1)];
        then[y][x] = around == 3 || (around == 2 && now[y][x]);
      }
    for (int y = 0; y < N; ++y)
      for (int x = 0; x < N; ++x) now[y][x] = then[y][x];
  }
  int alive = 0;
  for (int y = 0; y < N; ++y)
    for (int x = 0; x < N; ++x) alive += now[y][x];
  return alive != 5;
}
