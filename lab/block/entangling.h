// The entangling instruction prefetcher (Ros, Jimborean, ISCA 2021).
//
// A line that missed (or was prefetched too late) is entangled with an earlier basic-block head that ran at
// least the miss's latency before it. When that head runs again, the line and the rest of its block are
// prefetched. Heads, their block sizes and destinations live in a set-associative table of 79-bit entries.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace lento::tile {

struct EntanglingOptions {
  uint32_t sets = 128;        // 128: 2K entries, 19.75 KB; 256: 4K; 512: 8K
  uint32_t merge_depth = 14;  // history entries searched for a block to merge with; 14, 6, 5 for 2K, 4K, 8K
};

// Where a prefetch came from, for its confidence: an entry of the table, or none.
struct EntangleSource {
  uint32_t set = 0;
  uint32_t way = kNone;
  static constexpr uint32_t kNone = 16;
};

class EntanglingTable {
 public:
  static constexpr uint32_t kWays = 16;
  static constexpr uint32_t kMaxDestinations = 6;
  static constexpr uint32_t kMaxSize = 63;
  static constexpr uint32_t kEntryBits = 79;

  explicit EntanglingTable(uint32_t sets)
      : sets_(sets),
        entries_(size_t{sets} * kWays),
        fifo_(sets, 0) {
  }

  bool holds(uint64_t head) const {
    return find(head) != nullptr;
  }
  uint32_t block_size(uint64_t head) const;
  void grow_block(uint64_t head, uint32_t lines);  // records the size when it is larger
  // Calls `use` for each confident destination of `head`.
  void destinations(uint64_t head, const std::function<void(uint64_t line, EntangleSource)>& use) const;
  bool has_room(
      uint64_t head,
      uint64_t line) const;  // known, or fits without evicting another; false if head is new
  void entangle(uint64_t head, uint64_t line);
  void judge(EntangleSource source, uint64_t line, bool useful);

 private:
  struct Entry {
    uint16_t tag = 0;
    uint8_t format = 1;  // 1..6 destinations of kBits[format - 1] low address bits
    uint8_t size = 0;
    std::array<uint64_t, kMaxDestinations> low = {};
    std::array<uint8_t, kMaxDestinations> confidence = {};
    bool has_destinations() const;
  };
  uint32_t set_of(uint64_t line) const;
  uint16_t tag_of(uint64_t line) const;
  Entry* find(uint64_t line);
  const Entry* find(uint64_t line) const {
    return const_cast<EntanglingTable*>(this)->find(line);
  }
  Entry& find_or_replace(uint64_t line);
  void save_useful(uint32_t set);

  uint32_t sets_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> fifo_;
};

class EntanglingPrefetcher {
 public:
  // Queues a prefetch of a line. Returns false when the queue is full.
  using Issue = std::function<bool(uint64_t line)>;

  EntanglingPrefetcher(const EntanglingOptions& options, Issue issue);

  // With `look` false the table was busy: the line counts for history and training but prefetches nothing.
  void access(uint64_t line, bool hit, uint64_t now, bool look = true);
  void fill(uint64_t line, std::optional<uint64_t> evicted, uint64_t now);

 private:
  static constexpr uint32_t kHistory = 16;
  static constexpr uint32_t kNowhere = kHistory;
  struct Head {
    uint64_t line = 0;
    uint64_t time = 0;
    uint32_t size = 0;
    bool valid = false;
  };
  // A request on its way, or the history of a line that is in the cache.
  struct Flight {
    uint64_t began = 0;
    EntangleSource source;
    uint32_t history = kNowhere;
    bool accessed = false;
  };
  struct Resident {
    EntangleSource source;
    bool accessed = false;
  };

  void prefetch(uint64_t line, EntangleSource source, uint64_t now);
  void prefetch_from(uint64_t line, uint64_t now);
  void close_block();
  uint32_t find_history(uint64_t line) const;
  uint32_t find_merge(uint64_t line) const;
  uint32_t push_history(uint64_t line, uint64_t now);
  std::optional<uint64_t> older_head(uint64_t line, uint32_t at, uint64_t latency, uint32_t skip) const;

  EntanglingOptions options_;
  Issue issue_;
  EntanglingTable table_;
  std::array<Head, kHistory> history_;
  uint32_t newest_ = 0;
  uint64_t head_ = 0;
  // lines after head_, distance to the head merged with
  uint32_t extra_ = 0;
  uint32_t merged_ = 0;
  std::unordered_map<uint64_t, Flight> flights_;
  std::unordered_map<uint64_t, Resident> residents_;
};

}  // namespace lento::tile
