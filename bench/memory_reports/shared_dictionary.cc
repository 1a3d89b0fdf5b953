// Each lookup makes a pointer of its own to one dictionary, which counts its users.
// github.com/hyrise/hyrise-v1/pull/302
// expect: true sharing|lock, shared_dictionary
// advice: reference
#include <memory>

#include "run.h"
struct Dictionary {
  long values[64] = {};
};
static volatile long sums[4 * 16];
int main() {
  auto dictionary = std::make_shared<Dictionary>();
  run(4, [&dictionary](int me) {
    for (int i = 0; i < 20000; ++i) {
      const std::shared_ptr<Dictionary> own = dictionary;
      sums[me * 16] += own->values[i % 64];
    }
  });
  std::printf("%ld\n", sums[16]);
}
