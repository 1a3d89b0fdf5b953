// Memory that processes share: mappings inherited through fork, and files that several processes map. All
// other equal addresses of two processes are two places.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "memory/record/recording.h"

namespace lento::memory {

class SharedMemory {
 public:
  // Takes the events of a thread in order, one thread after the other. Those below LENTO_ALLOC may be left
  // out. The events that directly follow LENTO_SHARED describe it.
  void add(uint32_t pid, const Recording::Event& event);
  // Ends the input: children receive the mappings of their parents.
  void hand_down();

  // Returns the same number for the same byte in every process that maps it: its address in the process that
  // was added first. Returns nothing for private memory.
  std::optional<uint64_t> place(uint32_t pid, uint64_t address) const;

 private:
  struct Range {
    uint64_t bytes = 0;
    uint64_t place = 0;
  };
  using Ranges = std::map<uint64_t, Range>;  // by first address; a new mapping there replaces the old
  std::map<uint32_t, Ranges> ranges_;        // by process
  std::map<uint32_t, uint32_t> parents_;
  std::map<uint64_t, uint64_t> files_;  // place of the first byte, by the identity of the file
  Range* last_ = nullptr;               // the range that the next LENTO_SIZE events describe
};

}  // namespace lento::memory
