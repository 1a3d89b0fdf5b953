// Each column of a query copies the shared pointer to its type. Mended, it takes it by reference.
// github.com/ClickHouse/ClickHouse/pull/61707
// expect: true sharing, heap
// advice: reference|pass
// fixed: quiet
#include <memory>

#include "run.h"
struct Type {
  int bytes = 8;
};
static std::shared_ptr<const Type> column_type;
struct alignas(128) Sum {
  volatile long bytes = 0;
};
static Sum sums[4];
#ifdef FIXED
static long bytes_of(const std::shared_ptr<const Type>& type) {
#else
static long bytes_of(std::shared_ptr<const Type> type) {
#endif
  return type->bytes;
}
int main() {
  column_type = std::make_shared<const Type>();
  run(4, [](int me) {
    for (int i = 0; i < 20000; ++i)
      sums[me].bytes += bytes_of(column_type);
  });
  std::printf("%ld\n", sums[3].bytes + 0);
}
