// Maps the accesses of a replay to lines and locks under a new layout of some data, to predict the gain of a
// fix.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "memory/record/recording.h"
#include "memory/record/replay_machine.h"

namespace lento::memory {

class NewLayout {
 public:
  // `relayouts` must outlive the object.
  NewLayout(const std::vector<Relayout>& relayouts, uint32_t line_bytes)
      : relayouts_(relayouts),
        line_bytes_(line_bytes) {
  }

  // Returns the line of an access by the thread `index`. Shared memory belongs to process 0.
  uint64_t line_key(uint16_t process, size_t index, uint64_t address) const;

  // Returns the lock at an address. Under Relayout::Kind::Private every thread has a lock of its own there.
  std::pair<uint32_t, uint64_t> lock_key(uint32_t process, size_t index, uint64_t address) const;

  ReplayMachine::Hints hints(uint16_t process, uint64_t address) const;

 private:
  uint64_t old_line(uint16_t process, uint64_t address) const;

  const std::vector<Relayout>& relayouts_;
  const uint32_t line_bytes_;
};

}  // namespace lento::memory
