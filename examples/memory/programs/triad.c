/* Three long arrays per thread, swept turn by turn: all wait for the memory's rate. As known from McCalpin's STREAM. Fixed: all
 * turns of a piece that stays in the cache before the next.
 * bandwidth: 12.8
 * expect: saturation, memory */
#include "run_threads.h"
#define LENGTH (1 << 15)
#define TURNS 6
struct sample { double value; double unused[7]; };
static volatile struct sample a[MOST_THREADS][LENGTH];
static void *work(void *p) {
  volatile struct sample *own = a[(long)p];
#ifdef FIXED
  const int piece = 1 << 8;
#else
  const int piece = LENGTH;
#endif
  for (int first = 0; first < LENGTH; first += piece) {
    for (int turn = 0; turn < TURNS; ++turn) {
      for (int i = first; i < first + piece; ++i) own[i].value = own[i].value * 3 + turn;
    }
  }
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  printf("%g\n", a[0][5].value);
  return 0;
}
