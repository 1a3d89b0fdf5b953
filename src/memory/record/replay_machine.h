// The machine that a recording is replayed on: each core's caches, the lines that move between them, and the
// memory of each node. recording.h has its numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "memory/read/access_record.h"
#include "memory/record/line_table.h"
#include "memory/record/private_cache.h"
#include "memory/record/recording.h"

namespace lento::memory {

class ReplayMachine {
 public:
  // Bit of a line's key: the line is part of a new layout, and is assumed to fit in every cache.
  static constexpr uint64_t kElsewhere = uint64_t{1} << 62;

  ReplayMachine(const CoreModel& model, size_t cores, uint32_t line_bytes);

  // Returns the cycles that an access waits beyond a hit. `r` must have its time, place, type, core and
  // process. Service and culprit are filled in. Accesses must come in the order of their time.
  uint64_t access(size_t core, uint64_t key, AccessRecord& r);

  uint64_t contended() const {
    return contended_;
  }  // cycles that lines of other cores took, over all accesses
  const LineTable& lines() const {
    return lines_;
  }

 private:
  struct Memory {  // of a node
    uint64_t free = 0;
    size_t last = 0;  // who fetched, and by which instruction
    uint64_t last_pc = 0;
  };

  uint64_t transfer(size_t core, uint64_t key, LineState& line, AccessRecord& r);
  uint64_t fetch(size_t core, uint64_t key, LineState& line, AccessRecord& r);
  uint64_t from_memory(size_t core, AccessRecord& r, bool streams);
  void give_up(size_t core, uint64_t gone);
  size_t node_of(size_t core) const;
  size_t home_of(const AccessRecord& r, size_t here);

  const CoreModel model_;
  uint64_t contended_ = 0;
  LineTable lines_;
  std::vector<PrivateCache> caches_;            // by core
  std::vector<Memory> memories_;                // by node
  std::unordered_map<uint64_t, size_t> homes_;  // of pages, by process and number; on several nodes only
};

}  // namespace lento::memory
