// The abstraction of a 32-bit value in the verifier: an unsigned and a signed interval, known bits, a
// congruence, a small set of code addresses, whether it was ever set, and the term that it equals. Every
// operation is sound: the concrete result is always inside.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>

#include "riscv/instruction.h"

namespace lento::tile {

// A symbolic form of a value over an unknown 32-bit number (relation.h). Values with terms over one number
// are related: what a branch tells about one of them holds for the others.
//   value = ((number + inner) >> right & mask) * factor + plus - minus
// A factor that is a power of two shifts no bit of `mask` out, and another factor does not wrap: the product
// stays below 2^31. A sum without shift, mask or factor keeps its constant in `inner`.
struct Term {
  uint32_t number = 0;  // 0: the value has no term
  uint32_t inner = 0;
  uint32_t right = 0;
  uint32_t mask = UINT32_MAX;
  uint32_t factor = 1;
  uint32_t plus = 0;
  uint32_t minus = 0;  // a second number, 0: none

  bool is_sum() const {
    return right == 0 && mask == UINT32_MAX && factor == 1;
  }
  // Returns whether the low bits of number + inner, and nothing else, make the value.
  bool is_low_bits() const {
    return right == 0 && (mask & (mask + 1)) == 0 && factor == 1 && plus == 0 && minus == 0;
  }
  auto operator<=>(const Term&) const = default;
};

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
  // The value as a signed number is a multiple of `modulus` (0: not known) plus a number from residue to
  // residue + reach, such as the address of a member of an array's element.
  uint32_t modulus = 0;
  uint32_t residue = 0;
  uint32_t reach = 0;
  Term term;

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
  // Compares the possible values and ignores congruences and terms.
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
