// Each thread notes the epoch that it reads in, in a record beside those of others.
// github.com/khizmax/libcds/issues/75
// expect: false sharing, heap
// fixed: quiet
#include "run.h"
#ifdef FIXED
struct alignas(128) Record {
#else
struct Record {
#endif
  volatile unsigned epoch = 0;
  unsigned owner = 0;
};
struct alignas(128) Bucket {
  volatile long key[16] = {};
};
static Bucket buckets[4];
int main() {
  Record* const records = new Record[4];
  run(4, [records](int me) {
    records[me].owner = unsigned(me);
    long sum = 0;
    for (int i = 0; i < 20000; ++i) {
      records[me].epoch += 1;
      for (int probe = 0; probe < 6; ++probe)
        sum += buckets[me].key[(i + probe) % 16];
      records[me].epoch += 1;
    }
    buckets[me].key[0] = sum;
  });
  std::printf("%u\n", records[1].epoch);
}
