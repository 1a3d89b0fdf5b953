// An arena cuts slices of 24 bytes for its threads from one chunk. github.com/netty/netty/pull/4726
// expect: false sharing, pooled_slices
#include "run.h"
struct Slice {
  long reader, writer, capacity;
};
int main() {
  Slice* chunk = new Slice[4]();
  run(4, [chunk](int me) {
    volatile Slice* own = chunk + me;
    for (int i = 0; i < 20000; ++i) {
      own->writer = own->writer + 1;
      own->reader = own->reader + 1;
    }
  });
  std::printf("%ld\n", chunk[1].writer);
}
