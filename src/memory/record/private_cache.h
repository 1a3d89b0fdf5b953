// The caches of one core of the replay: tags of two set-associative levels, least recently used, the second
// inclusive of the first, and the streams that a prefetcher would follow.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lento::memory {

struct TagShape {
  uint32_t bytes = 0;
  uint32_t ways = 1;
};

class Tags {
 public:
  static constexpr uint64_t kNone = UINT64_MAX;

  // The number of sets is a power of two, at least one.
  Tags(const TagShape& shape, uint32_t line_bytes)
      : ways_(shape.ways),
        sets_(std::bit_floor(std::max(1U, shape.bytes / line_bytes / shape.ways))) {
  }

  // Makes the line the most recent of its set. Returns false when the line is absent.
  bool hit(uint64_t line) {
    if (lines_.empty())
      return false;
    uint64_t* const set = set_of(line);
    uint64_t* const at = std::find(set, set + ways_, line);
    if (at == set + ways_)
      return false;
    std::rotate(set, at, at + 1);
    return true;
  }

  bool holds(uint64_t line) const {
    if (lines_.empty())
      return false;
    const auto set = lines_.begin() + ptrdiff_t(set_number(line) * ways_);
    return std::find(set, set + ways_, line) != set + ways_;
  }

  // Enters an absent line and returns the line that is evicted, or kNone.
  uint64_t fill(uint64_t line) {
    if (lines_.empty())
      lines_.assign(size_t{sets_} * ways_, kNone);
    uint64_t* const set = set_of(line);
    const uint64_t gone = set[ways_ - 1];
    std::copy_backward(set, set + ways_ - 1, set + ways_);
    set[0] = line;
    return gone;
  }

  // Returns the number of the line's set, and how many there are.
  size_t set_number(uint64_t line) const {
    return size_t(line & (sets_ - 1));
  }
  size_t sets() const {
    return sets_;
  }

  // Removes a line from the cache.
  void drop(uint64_t line) {
    if (lines_.empty())
      return;
    uint64_t* const set = set_of(line);
    uint64_t* const at = std::find(set, set + ways_, line);
    if (at == set + ways_)
      return;
    std::rotate(at, at + 1, set + ways_);
    set[ways_ - 1] = kNone;
  }

 private:
  uint64_t* set_of(uint64_t line) {
    return &lines_[size_t(line & (sets_ - 1)) * ways_];
  }

  uint32_t ways_;
  uint32_t sets_;
  std::vector<uint64_t> lines_;  // the most recent way of a set first; empty: nothing was ever put in
};

class PrivateCache {
 public:
  PrivateCache(const TagShape& first, const TagShape& second, uint32_t line_bytes)
      : first_(first, line_bytes),
        second_(second, line_bytes) {
  }

  enum class Level {
    First,
    Second,
    Lost
  };
  Level find(uint64_t line) {
    if (first_.hit(line))
      return Level::First;
    return second_.hit(line) ? Level::Second : Level::Lost;
  }

  bool holds(uint64_t line) const {
    return second_.holds(line);
  }

  const Tags& first() const {
    return first_;
  }

  // Enters the line after find() returned Second or Lost. Returns the line that leaves the core, or
  // Tags::kNone.
  uint64_t take(uint64_t line, Level found) {
    first_.fill(line);
    if (found == Level::Second)
      return Tags::kNone;
    const uint64_t gone = second_.fill(line);
    if (gone != Tags::kNone)
      first_.drop(gone);
    return gone;
  }

  // Returns whether a neighbour was missed shortly before, because such lines are prefetched.
  bool streams(uint64_t line) {
    const bool follows = std::ranges::any_of(missed_, [&](uint64_t m) {
      return m + 1 == line || m == line + 1;
    });
    missed_[next_++ % missed_.size()] = line;
    return follows;
  }

 private:
  Tags first_;
  Tags second_;
  std::array<uint64_t, 16> missed_ = [] {
    std::array<uint64_t, 16> none{};
    none.fill(Tags::kNone - 1);
    return none;
  }();
  size_t next_ = 0;
};

}  // namespace lento::memory
