// Numbers the processes of a trace from 1, in the order of their appearance.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "program/address_space.h"

namespace lento::memory {

class ProcessNumbers {
 public:
  explicit ProcessNumbers(program::TraceFacts* facts)
      : facts_(facts) {
  }

  // Returns the number of a process. All processes beyond the first 65,533 share the number 65,534.
  uint16_t of(uint32_t pid, std::string_view name = {}) {
    if (pid == last_pid_ && last_ != 0)
      return last_;
    const auto next = uint16_t(std::min<size_t>(numbers_.size() + 1, UINT16_MAX - 1));
    const auto [at, fresh] = numbers_.emplace(pid, next);
    if (fresh && facts_)
      facts_->names.note_process(at->second, pid, std::string(name));
    last_pid_ = pid;
    return last_ = at->second;
  }

 private:
  program::TraceFacts* facts_;
  std::unordered_map<uint32_t, uint16_t> numbers_;
  uint32_t last_pid_ = 0;
  uint16_t last_ = 0;
};

}  // namespace lento::memory
