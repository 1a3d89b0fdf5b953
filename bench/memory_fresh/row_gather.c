/* Rows of an embedding table are gathered in random order, again and again, from more bytes than a cache holds. Fixed: the
 * hot rows alone, which fit.
 * expect: capacity, embeddings */
#include "run_threads.h"
#define ROWS (1 << 16)
static struct {
  volatile long first;
  char rest[56];
} embeddings[MOST_THREADS][ROWS] __attribute__((aligned(4096)));
static struct {
  volatile long sum;
  char unused[120];
} pooled[MOST_THREADS] __attribute__((aligned(128)));
static void *work(void *p) {
  const long me = (long)p;
#ifdef FIXED
  const unsigned rows = 1 << 8;
#else
  const unsigned rows = ROWS;
#endif
  unsigned long state = (unsigned long)me * 77 + 5;
  for (int i = 0; i < 250000; ++i) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    pooled[me].sum += embeddings[me][(state >> 33) % rows].first;
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%ld\n", pooled[0].sum);
  return 0;
}
