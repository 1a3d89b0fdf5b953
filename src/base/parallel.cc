// Runs a loop on several threads. A shared counter hands out one index at a time, so that pieces of unequal
// cost spread evenly. A failure stops the counter, and the smallest failing index is reported.
#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lento::base {

unsigned hardware_threads() {
  return std::max(1u, std::thread::hardware_concurrency());
}

void parallel_for(size_t count, unsigned threads, const std::function<void(size_t)>& work) {
  if (threads == 0)
    threads = hardware_threads();
  std::atomic<size_t> next{0};
  std::mutex mutex;
  size_t failed_at = count;
  std::exception_ptr failure;
  const auto loop = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        next = count;
        const std::lock_guard lock(mutex);
        if (i < failed_at) {
          failed_at = i;
          failure = std::current_exception();
        }
      }
    }
  };
  std::vector<std::jthread> pool;
  for (unsigned t = 1; t < std::min<size_t>(threads, count); ++t)
    pool.emplace_back(loop);
  loop();
  pool.clear();
  if (failure)
    std::rethrow_exception(failure);
}

}  // namespace lento::base
