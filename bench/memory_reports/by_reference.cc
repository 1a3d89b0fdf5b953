// The pointer is passed by reference, and its count of users stays. github.com/vgc/vgc/issues/22
// expect: quiet
#include <memory>

#include "run.h"
struct Node {
  long values[64] = {};
};
static long at(const std::shared_ptr<Node>& node, int i) {
  return node->values[i % 64];
}
alignas(128) static volatile long sums[4 * 16];
int main() {
  auto node = std::make_shared<Node>();
  run(4, [&node](int me) {
    const std::shared_ptr<Node> own = node;
    for (int i = 0; i < 20000; ++i)
      sums[me * 16] += at(own, i);
  });
  std::printf("%ld\n", sums[16]);
}
