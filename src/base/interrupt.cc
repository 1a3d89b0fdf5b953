// Holds the interrupt flag. It is a lock-free atomic, because a signal handler may only write such a
// variable.
#include "base/interrupt.h"

#include <atomic>

namespace lento::base {
namespace {

std::atomic<bool> g_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

}  // namespace

bool interrupted() {
  return g_interrupted.load(std::memory_order_relaxed);
}
void set_interrupted(bool wanted) {
  g_interrupted.store(wanted, std::memory_order_relaxed);
}

}  // namespace lento::base
