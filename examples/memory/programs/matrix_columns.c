/* A matrix cut by columns: neighbours write to both ends of every line of a row. As known from SPLASH's lu with blocks that
 * are not contiguous. Fixed: it is cut by rows.
 * expect: false sharing, matrix */
#include "run_threads.h"
#define SIZE 48
static volatile int matrix[SIZE][SIZE] __attribute__((aligned(128)));
static void *work(void *p) {
  const int part = SIZE / (threads < SIZE ? threads : SIZE);
  const int first = (int)(long)p * part;
  for (int round = 0; round < 80; ++round) {
#ifdef FIXED
    for (int i = first; i < first + part; ++i) {
      for (int j = 0; j < SIZE; ++j) matrix[i][j] += j;
    }
#else
    for (int i = 0; i < SIZE; ++i) {
      for (int j = first; j < first + part; ++j) matrix[i][j] += i;
    }
#endif
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%d\n", matrix[3][5]);
  return 0;
}
