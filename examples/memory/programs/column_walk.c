/* Columns of a matrix whose rows are a power of two apart: every element of a column falls into one set of the cache. As known from
 * Lam, Rothberg, Wolf: The cache performance and optimizations of blocked algorithms. Fixed: rows are a line longer.
 * expect: set conflict, grid */
#include "run_threads.h"
#define ROWS 48
#define COLUMNS 64
#ifdef FIXED
#define PITCH (512 + 8)
#else
#define PITCH 512
#endif
static volatile double grid[MOST_THREADS][ROWS][PITCH] __attribute__((aligned(4096)));
static void *work(void *p) {
  volatile double (*own)[PITCH] = grid[(long)p];
  for (int turn = 0; turn < 24; ++turn) {
    for (int column = 0; column < COLUMNS; ++column) {
      for (int row = 0; row < ROWS; ++row) own[row][column] += turn;
    }
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%g\n", grid[0][3][5]);
  return 0;
}
