// Memory that processes share: what a fork hands down, and files that several map. Elsewhere equal addresses
// of two processes are two places.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "memory/record/recording.h"

namespace lento::memory {

class SharedMemory {
 public:
  // The events of a thread in order, of one thread after the other; those below LENTO_ALLOC may be left out.
  // What follows LENTO_SHARED directly belongs to it.
  void add(uint32_t pid, const Recording::Event& event);
  // After the last event: children have what their parents had mapped.
  void hand_down();

  // The same number for the same byte in every process that has it mapped: an address of the process that was
  // told first. None where the memory is the process's own.
  std::optional<uint64_t> place(uint32_t pid, uint64_t address) const;

 private:
  struct Range {
    uint64_t bytes = 0;
    uint64_t place = 0;
  };
  using Ranges = std::map<uint64_t, Range>;  // by first address; who maps it anew has it anew
  std::map<uint32_t, Ranges> ranges_;        // by process
  std::map<uint32_t, uint32_t> parents_;
  std::map<uint64_t, uint64_t> files_;  // place of the first byte, by what the recorder tells of the file
  Range* last_ = nullptr;               // whose bytes, then whose file, follow
};

}  // namespace lento::memory
