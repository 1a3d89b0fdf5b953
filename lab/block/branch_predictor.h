// Conditional branches by gshare (McFarling 1993), indirect jumps by a target table, returns by a stack.
#pragma once

#include <array>
#include <cstdint>

namespace lento::tile {

class BranchPredictor {
 public:
  // Learns from the outcome. Returns whether the prediction made before was right.
  bool conditional(uint32_t pc, bool taken) {
    uint8_t& counter = counters_[(pc >> 2 ^ history_) % counters_.size()];
    const bool right = (counter >= 2) == taken;
    if (taken && counter < 3)
      ++counter;
    if (!taken && counter > 0)
      --counter;
    history_ = uint32_t((history_ << 1 | taken) % counters_.size());
    return right;
  }

  bool indirect(uint32_t pc, uint32_t target) {
    uint32_t& known = targets_[(pc >> 2) % targets_.size()];
    const bool right = known == target;
    known = target;
    return right;
  }

  void call(uint32_t back) {
    stack_[depth_++ % stack_.size()] = back;
  }
  bool is_return_to(uint32_t target) {
    return stack_[--depth_ % stack_.size()] == target;
  }

 private:
  std::array<uint8_t, 4096> counters_ = {};
  std::array<uint32_t, 512> targets_ = {};
  std::array<uint32_t, 16> stack_ = {};
  uint32_t history_ = 0;
  uint32_t depth_ = 0;
};

}  // namespace lento::tile
