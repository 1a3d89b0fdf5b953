#include "memory/record/shared_memory.h"

#include "memory/record/record_format.h"

namespace lento::memory {
namespace {

constexpr size_t kMostRanges = 1 << 16;  // of a process
constexpr int kMostGenerations = 64;

}  // namespace

void SharedMemory::add(uint32_t pid, const Recording::Event& event) {
  const unsigned kind = kind_of(event);
  const uint64_t value = address_of(event);
  if (kind == LENTO_FORK)
    parents_.try_emplace(pid, uint32_t(value));
  if (kind == LENTO_SHARED) {
    auto& ranges = ranges_[pid];
    last_ = ranges.size() < kMostRanges ? &ranges.emplace_back(Range{value, 0, value}) : nullptr;
    return;
  }
  if (kind != LENTO_SIZE || !last_) {
    last_ = nullptr;
    return;
  }
  if (last_->bytes == 0 && event.second == 0) {
    last_->bytes = value;
    return;
  }
  const auto [file, is_new] = files_.try_emplace(event.second, last_->low - value);
  last_->place = file->second + value;
  last_ = nullptr;
}

void SharedMemory::hand_down() {
  last_ = nullptr;
  for (const auto& [child, parent] : parents_) {
    uint32_t from = parent;
    for (int generation = 0; generation < kMostGenerations && from != child; ++generation) {
      const auto theirs = ranges_.find(from);
      if (theirs != ranges_.end()) {
        const std::vector<Range> copied = theirs->second;
        auto& own = ranges_[child];
        own.insert(own.end(), copied.begin(), copied.end());
      }
      const auto before = parents_.find(from);
      if (before == parents_.end())
        break;
      from = before->second;
    }
  }
}

std::optional<uint64_t> SharedMemory::place(uint32_t pid, uint64_t address) const {
  const auto ranges = ranges_.find(pid);
  if (ranges == ranges_.end())
    return std::nullopt;
  for (const Range& r : ranges->second) {
    if (address - r.low < r.bytes)
      return r.place + (address - r.low);
  }
  return std::nullopt;
}

}  // namespace lento::memory
