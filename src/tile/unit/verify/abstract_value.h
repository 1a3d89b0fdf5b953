// The abstraction of a 32-bit value (of a register or a cell of the scratchpad) in the verifier: an unsigned
// and a signed interval, known bits, a congruence, a small set of code addresses, whether it was ever set,
// and its term. Every operation is sound: each value that an execution can compute is among the possible
// values.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>

#include "riscv/instruction.h"

namespace lento::tile {

// The term of a value: an expression for it over a number. A number is the identity of one unknown 32-bit
// value, such as the one that a cell held when it was loaded (Explorer::name). Values with terms over one
// number are related: what a branch tells about one of them holds for the others (relation.h). With `number`
// and `minus` as the values that they identify, modulo 2^32:
//   value = (((number + inner) >> right) & mask) * factor + plus - minus
// A factor that is a power of two shifts no bit of `mask` out of the 32 bits, and the product with another
// factor is below 2^31. A sum without shift, mask or factor keeps its constant in `inner`.
struct Term {
  uint32_t number = 0;  // 0: the value has no term
  uint32_t inner = 0;
  uint32_t right = 0;
  uint32_t mask = UINT32_MAX;
  uint32_t factor = 1;
  uint32_t plus = 0;
  uint32_t minus = 0;  // a second number; 0: none

  bool is_sum() const {
    return right == 0 && mask == UINT32_MAX && factor == 1;
  }
  // Returns whether the value is the low bits of number + inner: `mask` is 2^n - 1, without shift, factor or
  // addend.
  bool is_low_bits() const {
    return right == 0 && (mask & (mask + 1)) == 0 && factor == 1 && plus == 0 && minus == 0;
  }
  auto operator<=>(const Term&) const = default;
};

struct AbstractValue {
  uint32_t low = 0;
  uint32_t high = UINT32_MAX;
  // Masks of the bits that are 0 in every possible value, and of those that are 1.
  uint32_t zeros = 0;
  uint32_t ones = 0;
  bool initialised = true;             // false: the register or cell may never have been set
  uint8_t most_ones = 32;              // largest number of bits that are 1
  uint8_t places = 0;                  // valid entries of `place`; 0: no set of addresses is known
  std::array<uint16_t, 4> place = {};  // the possible values: code addresses, ascending
  // The bounds of the value as a signed number.
  int32_t least = INT32_MIN;
  int32_t most = INT32_MAX;
  // When `modulus` is not 0, the value as a signed number is a multiple of `modulus` plus an offset from
  // `residue` (signed) to residue + reach. Example: an address in any element of an array, with the element's
  // size in bytes as modulus.
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
  // Returns whether all members but congruence (modulus, residue, reach) and term are equal.
  bool same_value(const AbstractValue& other) const;
  bool operator==(const AbstractValue&) const = default;
};

AbstractValue join(const AbstractValue& a, const AbstractValue& b);

// Returns the values that are possible in both a and b, empty() when there are none. Term, congruence, code
// addresses and `initialised` are those of a.
AbstractValue meet(const AbstractValue& a, const AbstractValue& b);

// Returns a value that includes the results of riscv::alu for all possible operands. It has no term. An
// operation that changes nothing (a + 0, or a mask over all bits that may be 1) returns a itself.
AbstractValue abstract_alu(riscv::Op op, const AbstractValue& a, const AbstractValue& b);

enum class Truth : uint8_t {
  No,
  Yes,
  Unknown
};
Truth abstract_branch(riscv::Op op, const AbstractValue& a, const AbstractValue& b);

// Narrows a and b to the values for which the branch `op` is taken, or not taken when `taken` is false. An
// operand that is empty() afterwards shows that this outcome is impossible.
void refine(riscv::Op op, bool taken, AbstractValue& a, AbstractValue& b);

}  // namespace lento::tile
