// Limits the memory of the process. A hostile or mistaken input may need more memory than the machine has,
// and the kernel would then kill the process without a message. The soft limit RLIMIT_DATA makes the
// allocation fail instead, so the error can name the input.
#include "base/reading.h"

#include <sys/resource.h>

#include <atomic>
#include <mutex>

#include "base/units.h"

namespace lento::base {
namespace {

std::mutex g_mutex;
std::string g_reading;
std::atomic<uint64_t> g_limit{0};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

}  // namespace

void note_reading(const std::string& path) {
  const std::lock_guard lock(g_mutex);
  g_reading = path;
}

std::string reading() {
  const std::lock_guard lock(g_mutex);
  return g_reading;
}

uint64_t set_memory_limit(uint64_t bytes) {
  const uint64_t before = g_limit.exchange(bytes);
  rlimit limit{};
  if (kSanitized || ::getrlimit(RLIMIT_DATA, &limit) != 0)
    return before;
  // Only the soft limit is set: a stricter outer limit stays in force, and ours can be lifted again.
  limit.rlim_cur = bytes == 0 ? limit.rlim_max : std::min<rlim_t>(bytes, limit.rlim_max);
  ::setrlimit(RLIMIT_DATA, &limit);
  return before;
}

Error out_of_memory(const std::string& path) {
  const uint64_t limit = g_limit;
  const std::string size =
      limit ? " the memory limit of " + format_quantity(double(limit), Dimension::Bytes) : " memory";
  return {
      {path},
      "does not fit into" + size,
      "is it the file you meant? --memory-limit 16GiB allows more; --memory-limit 0 has no limit"};
}

}  // namespace lento::base
