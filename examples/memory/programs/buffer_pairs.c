/* Each thread fills a buffer of its own, 24 bytes each, side by side. As known from Phoenix's string_match. Fixed: the
 * buffers are aligned to two lines.
 * expect: false sharing, buffers */
#include "run_threads.h"
#ifdef FIXED
#define ALIGNED __attribute__((aligned(128)))
#else
#define ALIGNED
#endif
static struct { volatile char text[24]; } ALIGNED buffers[MOST_THREADS];
static void *work(void *p) {
  volatile char *text = buffers[(long)p].text;
  for (int i = 0; i < 200000; ++i) text[i % 24] = (char)(i + text[(i + 7) % 24]);
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%d\n", buffers[1].text[3]);
  return 0;
}
