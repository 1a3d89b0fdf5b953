// The abstraction of a 32-bit value in the verifier: an unsigned and a signed interval, known bits, a set of
// places in the code when it is one of few, its location in the scratchpad, and whether it was ever set.
// Every operation is sound: the concrete result is always inside.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "riscv/instruction.h"

namespace lento::tile {

struct AbstractValue {
  uint32_t low = 0;
  uint32_t high = UINT32_MAX;
  // Bits that are certainly 0, and certainly 1.
  uint32_t zeros = 0;
  uint32_t ones = 0;
  bool initialised = true;
  uint8_t most_ones = 32;              // how many bits are set at most
  uint8_t places = 0;                  // how many of `place` count; 0: not known to be one of few
  std::array<uint16_t, 4> place = {};  // addresses in the code, ascending: targets of a function pointer
  // The interval as a signed number.
  int32_t least = INT32_MIN;
  int32_t most = INT32_MAX;
  // In a register: the value equals the scratchpad's word at `home` as it was at `stamp`, plus `offset`. Home
  // 0: no word. In a word: the stamp of its last store, 0 for none yet, kManyStamps where paths with several
  // stores joined.
  static constexpr uint32_t kManyStamps = UINT32_MAX;
  uint32_t home = 0;
  uint32_t stamp = 0;
  uint32_t offset = 0;

  // In a register: the value is ((number & mask) << by) + plus of the number `id` (0: unknown). This keeps
  // the bounds of x * 15, which compilers write as (x << 4) - x, and carries the outcome of a branch on x + 1
  // or x & 0xff over to x (relation.h).
  uint32_t id = 0;
  uint32_t by = 0;
  uint32_t mask = UINT32_MAX;
  uint32_t plus = 0;

  // In a register: time_shift 1 + k says that the value is the arrival register shifted right by k, 0 that it
  // is not known to be. `since` (0: none) says that it is the arrival minus the word at this address as it
  // was at `since_stamp`.
  uint32_t time_shift = 0;
  uint32_t since = 0;
  uint32_t since_stamp = 0;
  void forget_number() {
    id = by = plus = 0;
    mask = UINT32_MAX;
  }

  static AbstractValue any() {
    return {};
  }
  static AbstractValue constant(uint32_t value) {
    AbstractValue v;
    v.low = v.high = value;
    v.zeros = ~value;
    v.ones = value;
    v.least = v.most = int32_t(value);
    v.most_ones = uint8_t(std::popcount(value));
    return v;
  }
  static AbstractValue range(uint32_t low, uint32_t high);

  bool is_constant() const {
    return low == high;
  }
  // Returns whether no concrete value is left, so that the path cannot be taken.
  bool empty() const {
    return low > high || least > most || (ones & zeros) != 0;
  }
  // Compares the numbers, wherever they are kept.
  bool same_value(const AbstractValue& other) const;
  bool operator==(const AbstractValue&) const = default;
};

AbstractValue join(const AbstractValue& a, const AbstractValue& b);

// Returns the values that both include.
AbstractValue meet(const AbstractValue& a, const AbstractValue& b);

// The abstract counterpart of riscv::alu.
AbstractValue abstract_alu(riscv::Op op, const AbstractValue& a, const AbstractValue& b);

enum class Truth : uint8_t {
  No,
  Yes,
  Unknown
};
Truth abstract_branch(riscv::Op op, const AbstractValue& a, const AbstractValue& b);

// Narrows a and b to the values for which the branch goes `taken`.
void refine(riscv::Op op, bool taken, AbstractValue& a, AbstractValue& b);

}  // namespace lento::tile
