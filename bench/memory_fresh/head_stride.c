/* A key cache holds the heads of a token side by side, 4096 bytes a token. A thread that reads one head of all tokens falls
 * into few sets. Fixed: a token takes a line more.
 * expect: set conflict, keys */
#include "run_threads.h"
#define TOKENS 512
#ifdef FIXED
#define WIDTH (4096 + 64)
#else
#define WIDTH 4096
#endif
static char keys[TOKENS * WIDTH + 4096] __attribute__((aligned(4096)));
static struct {
  volatile long sum;
  char unused[120];
} scores[MOST_THREADS] __attribute__((aligned(128)));
static void *work(void *p) {
  const long head = (long)p;
  for (int turn = 0; turn < 40; ++turn) {
    for (int token = 0; token < TOKENS; ++token)
      scores[head].sum += *(volatile char *)&keys[token * WIDTH + head * 128];
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%ld\n", scores[0].sum);
  return 0;
}
