/* Integer matrix product, 96 x 96, columns strided. */
#include "core.h"
enum { N = 96 };
static int32_t a[N][N], b[N][N], c[N][N];
int main(void) {
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) a[i][j] = i + j, b[i][j] = i == j;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      int32_t sum = 0;
      for (int k = 0; k < N; ++k) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      if (c[i][j] != i + j) return 1;
  return 0;
}
