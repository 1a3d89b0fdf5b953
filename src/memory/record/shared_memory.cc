// Tracks the memory ranges that processes share, from the events of mmap and fork. A range is placed at its
// address in the process that mapped it first. Later mappings of the same file take that place, and children
// inherit the ranges of their parents. Cost: one map look-up an access of a process with ranges.
#include "memory/record/shared_memory.h"

#include "memory/record/record_format.h"

namespace lento::memory {
namespace {

constexpr size_t kMostRanges = 1 << 16;  // of a process; further ones count as private
constexpr int kMostGenerations = 64;

}  // namespace

void SharedMemory::add(uint32_t pid, const Recording::Event& event) {
  const unsigned kind = kind_of(event);
  const uint64_t value = address_of(event);
  if (kind == LENTO_FORK)
    parents_.try_emplace(pid, uint32_t(value));
  if (kind == LENTO_SHARED) {
    Ranges& ranges = ranges_[pid];
    last_ = ranges.size() < kMostRanges ? &(ranges[value] = {0, value}) : nullptr;
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
  const auto [file, is_new] = files_.try_emplace(event.second, last_->place - value);
  last_->place = file->second + value;
  last_ = nullptr;
}

void SharedMemory::hand_down() {
  last_ = nullptr;
  const std::map<uint32_t, Ranges> mapped = ranges_;
  for (const auto& [child, parent] : parents_) {
    uint32_t from = parent;
    for (int generation = 0; generation < kMostGenerations && from != child; ++generation) {
      const auto theirs = mapped.find(from);
      if (theirs != mapped.end() && ranges_[child].size() < kMostRanges)
        ranges_[child].insert(theirs->second.begin(), theirs->second.end());
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
  const auto next = ranges->second.upper_bound(address);
  if (next == ranges->second.begin())
    return std::nullopt;
  const auto& [low, range] = *std::prev(next);
  if (address - low >= range.bytes)
    return std::nullopt;
  return range.place + (address - low);
}

}  // namespace lento::memory
