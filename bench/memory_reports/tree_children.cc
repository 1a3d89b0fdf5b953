// One mutex guards the children of all nodes of a tree. Mended, each node has its own.
// github.com/XRPLF/rippled/pull/3993
// expect: lock, children_mutex
// fixed: quiet
#include <mutex>

#include "run.h"
struct alignas(128) Node {
  std::mutex own;
  long children[16] = {};
};
alignas(128) static std::mutex children_mutex;
static Node nodes[1024];
int main() {
  run(4, [](int me) {
    unsigned at = unsigned(me) * 7919u + 3;
    long sum = 0;
    for (int i = 0; i < 8000; ++i) {
      at = at * 1664525u + 1013904223u;
      Node& node = nodes[(at >> 10) % 1024];
#ifdef FIXED
      std::lock_guard<std::mutex> hold(node.own);
#else
      std::lock_guard<std::mutex> hold(children_mutex);
#endif
      sum += node.children[at % 16];
      node.children[at % 16] = i;
    }
    std::lock_guard<std::mutex> hold(children_mutex);
    nodes[0].children[0] += sum;
  });
  std::printf("%ld\n", nodes[0].children[0]);
}
