// The abstraction of a 32-bit value in the verifier: an unsigned and a signed interval, known bits, a small
// set of code addresses, the scratchpad cell that it was loaded from, and whether it was ever set. Every
// operation is sound: the concrete result is always inside.
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
  uint8_t most_ones = 32;              // largest number of set bits
  uint8_t places = 0;                  // number of valid entries of `place`; 0: not known to be one of a few
  std::array<uint16_t, 4> place = {};  // addresses in the code, ascending: targets of a function pointer
  // The bounds of the value as a signed number.
  int32_t least = INT32_MIN;
  int32_t most = INT32_MAX;
  // For a register: the value equals `offset` plus the cell `home` of the scratchpad (known_words.h), as it
  // was at its store number `stamp`. Home 0 means no such cell. For a cell: the number of its last store, 0
  // for none yet, kManyStamps when paths with different stores were joined.
  static constexpr uint32_t kManyStamps = UINT32_MAX;
  uint32_t home = 0;
  uint32_t stamp = 0;
  uint32_t offset = 0;

  // The value is (number & mask) * factor + plus, where `id` identifies the unknown number (0: none). This
  // keeps the bounds and the distance of x * 15, which compilers write as (x << 4) - x, and transfers the
  // outcome of a branch on x + 1 or x & 0xff to x (relation.h). A factor that is no power of two does not
  // wrap: the product stays below 2^31.
  uint32_t id = 0;
  uint32_t factor = 1;
  uint32_t mask = UINT32_MAX;
  uint32_t plus = 0;

  // For a register, `time_shift` encodes the value's relation to the input's arrival time: 0 none, 1 + k the
  // time shifted right by k, 33 + k the time with its low k bits cleared. For 1, `time_plus` is added.
  // `since` (0: none) means that the value is the arrival time plus time_plus minus the cell `since`, as it
  // was at store number `since_stamp`.
  uint32_t time_shift = 0;
  uint32_t time_plus = 0;
  uint32_t since = 0;
  uint32_t since_stamp = 0;
  // For the sum of a multiple and a smaller value, such as the address of a member of an array's element: the
  // value is a multiple of `modulus` (0: not known) plus a number from residue to residue + reach.
  uint32_t modulus = 0;
  uint32_t residue = 0;
  uint32_t reach = 0;
  void forget_number() {
    id = plus = 0;
    factor = 1;
    mask = UINT32_MAX;
  }
  void forget_time() {
    time_shift = time_plus = since = since_stamp = 0;
  }
  bool same_number(const AbstractValue& o) const {
    return id != 0 && id == o.id && factor == o.factor && mask == o.mask && plus == o.plus;
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
  // Returns whether no concrete value is possible, so that the path cannot be taken.
  bool empty() const {
    return low > high || least > most || (ones & zeros) != 0;
  }
  // Compares the possible values and ignores the relations to cells (home) and to unknown numbers (id).
  bool same_value(const AbstractValue& other) const;
  bool operator==(const AbstractValue&) const = default;
};

AbstractValue join(const AbstractValue& a, const AbstractValue& b);

// Returns the values that are possible in both a and b.
AbstractValue meet(const AbstractValue& a, const AbstractValue& b);

// Returns the possible results of riscv::alu for all possible operands.
AbstractValue abstract_alu(riscv::Op op, const AbstractValue& a, const AbstractValue& b);

enum class Truth : uint8_t {
  No,
  Yes,
  Unknown
};
Truth abstract_branch(riscv::Op op, const AbstractValue& a, const AbstractValue& b);

// Narrows a and b to the values for which the branch `op` is taken (or not, by `taken`).
void refine(riscv::Op op, bool taken, AbstractValue& a, AbstractValue& b);

}  // namespace lento::tile
