// Finds the thread that makes most accesses to each word. A majority candidate is found in one pass and its
// accesses are counted in a second (Boyer-Moore majority vote), so a word costs constant memory.
#include "memory/record/recording.h"

namespace lento::memory {
namespace {

constexpr uint64_t kWidest = uint64_t{16} << 20;

// Calls `take` for each recorded access to addresses from `low` below `high`, and once for loads of one
// address in a row, which only wait for its value.
template <typename Take>
void each_access(const Recording& recording, uint64_t low, uint64_t high, const Take& take) {
  for (size_t thread = 0; thread < recording.threads().size(); ++thread) {
    uint64_t last_load = 0;
    for (const auto& [begin, end] : recording.threads()[thread].pieces) {
      for (const Recording::Event* e = begin; e != end; ++e) {
        const uint64_t address = address_of(*e);
        if (!is_access(kind_of(*e)))
          continue;
        const uint64_t load = kind_of(*e) == LENTO_READ ? address : 0;
        const bool is_repeated = load != 0 && load == last_load;
        last_load = load;
        if (is_repeated || address < low || address >= high)
          continue;
        const size_t last =
            std::min((high - 1 - low) / kUserWord, (address - low + size_of(*e) - 1) / kUserWord);
        for (size_t word = (address - low) / kUserWord; word <= last; ++word)
          take(word, uint32_t(thread));
      }
    }
  }
}

}  // namespace

// Returns for each word of an address range the thread with more than half of its accesses, or null for a
// range that is too wide.
std::shared_ptr<const std::vector<uint32_t>>
main_users(const Recording& recording, uint64_t low, uint64_t high) {
  if (high <= low || high - low > kWidest)
    return nullptr;
  const size_t words = (high - low + kUserWord - 1) / kUserWord;
  auto users = std::make_shared<std::vector<uint32_t>>(words, UINT32_MAX);
  std::vector<uint32_t> lead(words);
  each_access(recording, low, high, [&](size_t word, uint32_t thread) {
    if (lead[word] == 0)
      (*users)[word] = thread;
    if ((*users)[word] == thread)
      ++lead[word];
    else
      --lead[word];
  });
  std::vector<uint32_t> own(words);
  std::vector<uint32_t> all(words);
  each_access(recording, low, high, [&](size_t word, uint32_t thread) {
    own[word] += (*users)[word] == thread;
    ++all[word];
  });
  for (size_t word = 0; word < words; ++word) {
    if (uint64_t{2} * own[word] <= all[word])
      (*users)[word] = UINT32_MAX;
  }
  return users;
}

}  // namespace lento::memory
