// The machine that a recording is replayed on: each core's caches, the lines that move between them, and the
// memory of each node. recording.h has its numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "memory/read/access_record.h"
#include "memory/record/line_table.h"
#include "memory/record/private_cache.h"
#include "memory/record/recording.h"

namespace lento::memory {

class ReplayMachine {
 public:
  // Bit of a line's key: the line holds one word of a new layout, and takes Hints::place in the caches.
  static constexpr uint64_t kMovedLine = uint64_t{1} << 62;

  // Properties of an access that its record does not hold.
  struct Hints {
    bool dependent = false;  // on the value of the last load
    // The core's next access stores to the same line. Where misses overlap, that store waits behind the load
    // and requests the line with it, so that the line comes once.
    bool updates = false;
    // Effects of a new layout of the data: it has Relayout::Kind::Private, Local, Huge, Second or Fits.
    bool copied = false;
    bool local = false;
    bool huge = false;
    bool second = false;
    bool fits = false;
    uint64_t place = 0;  // key of the line in the old layout
  };

  ReplayMachine(const CoreModel& model, size_t cores, uint32_t line_bytes);

  // Returns the cycles that an access waits beyond a hit. The caller sets time, address, pc, type, core and
  // process of `r`. The function fills in service and culprit. Accesses must come in the order of their
  // time.
  uint64_t access(size_t core, uint64_t key, const Hints& hints, AccessRecord& r);

  uint64_t contended() const {
    return contended_;
  }  // cycles that lines of other cores took, over all accesses
  // Returns whether the last access found its line in the first cache.
  bool hit_first() const {
    return hit_first_;
  }
  const LineTable& lines() const {
    return lines_;
  }

 private:
  struct Memory {  // of a node
    uint64_t free = 0;
    uint64_t link_free = 0;  // the way into the node
    size_t last = 0;         // core that fetched last, and its instruction
    uint64_t last_pc = 0;
  };

  // Requests under way, as the times at which they end. A new one waits for the oldest when all are taken.
  struct Slots {
    std::vector<uint64_t> ends;
    size_t next = 0;
    uint64_t& take() {
      return ends[next++ % ends.size()];
    }
  };

  struct Core {
    PrivateCache cache;
    Slots misses;
    Slots ahead;
    Tags first_pages;
    Tags second_pages;
    std::vector<uint64_t> sets_free = {};  // of the first cache: when each can take another line
    std::unordered_set<uint64_t> known_pages = {};
    uint64_t walks_until = 0;
    uint64_t last_end = 0;     // end of the latest of its misses
    uint64_t value_ready = 0;  // when the last load of 8 bytes, a possible address, is done
  };

  // How a request for a line is served: after how many cycles, and by which part of the machine.
  struct Answer {
    uint64_t latency = 0;  // cycles
    uint64_t queue = 0;    // cycles of these behind requests of other cores
    memory::Service service = memory::Service::Unknown;
    bool streams = false;
  };

  uint64_t transfer(size_t core, uint64_t place, LineState& line, uint64_t now, AccessRecord& r);
  Answer fetch(
      size_t core,
      uint64_t place,
      const Hints& hints,
      LineState& line,
      uint64_t now,
      const AccessRecord& r);
  uint64_t wait_for_set(Core& core, uint64_t key, bool is_modified, uint64_t latency, uint64_t now) const;
  Answer from_memory(size_t core, size_t home, uint64_t now);
  uint64_t translate(Core& core, const AccessRecord& r, uint64_t now);
  uint64_t issue(Core& core, const Answer& answer, uint64_t now);
  void note(const Answer& answer, uint64_t stall, size_t core, size_t home, AccessRecord& r);
  void give_up(size_t core, uint64_t gone);
  size_t node_of(size_t core) const;
  size_t home_of(const AccessRecord& r, size_t here);

  const CoreModel model_;
  uint64_t contended_ = 0;
  bool hit_first_ = false;
  LineTable lines_;
  std::vector<Core> cores_;
  std::vector<Tags> third_;                     // by node
  std::vector<Memory> memories_;                // by node
  std::unordered_map<uint64_t, size_t> homes_;  // of pages, by process and number; on several nodes only
};

}  // namespace lento::memory
