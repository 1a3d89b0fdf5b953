// Three stages work on the same frame one after another, each in place, with several frames under way.
// Handing on is what a pipeline is for.
// github.com/Hekbas/Luth/issues/5
// expect: quiet
// allow: at a time|hand
#include <atomic>

#include "run.h"
constexpr int kFrames = 6;
struct alignas(128) Frame {
  std::atomic<int> stage{0};
  alignas(128) volatile int pixel[2048];
};
static Frame frames[kFrames];
int main() {
  run(3, [](int me) {
    for (int i = 0; i < 240; ++i) {
      Frame& frame = frames[i % kFrames];
      while (frame.stage.load(std::memory_order_acquire) != me)
        std::this_thread::yield();
      for (int p = 0; p < 2048; ++p)
        frame.pixel[p] = frame.pixel[p] * 3 + me;
      frame.stage.store((me + 1) % 3, std::memory_order_release);
    }
  });
  std::printf("%d\n", frames[0].pixel[7]);
}
