// Many threads match with one automaton: each match takes the reader's side of one lock for a few steps.
// github.com/google/re2/pull/632
// expect: lock|true sharing, automaton
#include <pthread.h>

#include "run.h"
alignas(128) static struct {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  char unused[128];
  volatile int next[256];
} automaton;
static volatile int matched[4 * 32];
int main() {
  run(4, [](int me) {
    int state = me;
    for (int i = 0; i < 10000; ++i) {
      pthread_rwlock_rdlock(&automaton.lock);
      for (int step = 0; step < 8; ++step)
        state = (state + automaton.next[state % 256] + step) % 256;
      pthread_rwlock_unlock(&automaton.lock);
    }
    matched[me * 32] = state;
  });
  std::printf("%d\n", matched[32]);
}
