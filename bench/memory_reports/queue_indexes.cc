// The readers' index lies beside the writers' two. Sixty-four bytes between them gave up to half more.
// github.com/ubisoft/task-scheduler/issues/15
// expect: false sharing, subqueue
#include "run.h"
alignas(128) static struct {
  volatile long read = 0, write = 0, flush = 0;
  char unused[104];
} subqueue;
int main() {
  run(2, [](int me) {
    for (long i = 0; i < 60000; ++i) {
      if (me == 0) {
        ++subqueue.write;
        if (i % 64 == 0)
          subqueue.flush = i;
      } else {
        ++subqueue.read;
      }
    }
  });
  std::printf("%ld\n", subqueue.read);
}
