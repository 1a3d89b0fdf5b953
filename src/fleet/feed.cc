// The clocks of the machine that Lento runs on, as the fleet's live commands read them.
#include "fleet/feed.h"

#include <chrono>

namespace lento::fleet {
namespace {

class SystemClock : public Clock {
 public:
  int64_t steady_ms() const override {
    return count<std::chrono::steady_clock>();
  }
  int64_t wall_ms() const override {
    return count<std::chrono::system_clock>();
  }

 private:
  template <class C>
  static int64_t count() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(C::now().time_since_epoch()).count();
  }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace lento::fleet
