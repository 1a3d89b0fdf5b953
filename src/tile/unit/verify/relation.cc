// Keeps relations between registers that derive from one unknown number (AbstractValue::id) by mask, shift
// and addition, and transfers bounds between them. An interval is transferred when one mask includes the
// other, and widened by the bits in which the masks differ.
#include "tile/unit/verify/relation.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace lento::tile {
namespace {

using riscv::Op;
using V = AbstractValue;

V plus(const V& v, uint32_t addend) {
  return abstract_alu(Op::Add, v, V::constant(addend));
}

// Narrows `other` by `known`, where both are parts (masks) of one unknown number: by the bits that both masks
// keep, and by the interval where one mask includes the other.
void share_bits(V& other, const V& known) {
  const uint32_t common = known.mask & other.mask;
  V same;
  same.zeros = known.zeros & common;
  same.ones = known.ones & common;
  const uint32_t more = other.mask & ~known.mask;  // bits that only `other` has
  const uint32_t less = known.mask & ~other.mask;
  if (less == 0) {
    same.low = known.low;
    same.high = uint32_t(std::min<uint64_t>(uint64_t{known.high} + more, UINT32_MAX));
  } else if (more == 0) {
    same.low = known.low > less ? known.low - less : 0;
    same.high = known.high;
  }
  other = meet(other, same);
}

bool of_one_number(const V& a, const V& b) {
  return a.id != 0 && a.id == b.id;
}

bool of_one_word(const V& a, const V& b) {
  return a.home != 0 && a.home == b.home && a.stamp == b.stamp && a.stamp != V::kManyStamps;
}

// Returns k when the value is its unknown number times 2^k, whose high bits may be lost, else nothing.
std::optional<uint32_t> shift_of(const V& v) {
  return std::has_single_bit(v.factor) ? std::optional(uint32_t(std::countr_zero(v.factor))) : std::nullopt;
}

// Returns the factor of a sum or difference of two multiples of one unknown number, such as 15 for (x << 4) -
// x. One of the two must be the number itself, and the product must stay below 2^31. Otherwise returns 0.
uint32_t factor_of_sum(Op op, const V& a, const V& b) {
  if (!of_one_number(a, b) || a.mask != b.mask || a.plus != 0 || b.plus != 0)
    return 0;
  const uint64_t factor = op == Op::Add                          ? uint64_t{a.factor} + b.factor
                          : op == Op::Sub && a.factor > b.factor ? a.factor - b.factor
                                                                 : 0;
  const V& number = a.factor == 1 ? a : b;
  const bool fits = factor <= INT32_MAX && number.factor == 1 && number.high * factor <= INT32_MAX;
  return fits ? uint32_t(factor) : 0;
}

void set_number(V& result, const V& from, uint32_t factor, uint32_t mask, uint32_t plus) {
  result.id = from.id;
  result.factor = factor;
  result.mask = mask;
  result.plus = plus;
}

}  // namespace

bool can_relate(Op op, const V& a, const V& b) {
  if (!b.is_constant())
    return factor_of_sum(op, a, b) != 0;
  const std::optional<uint32_t> shift = shift_of(a);
  const uint32_t by = b.low & 31;
  switch (op) {
    case Op::Add:
    case Op::Addi:
      return true;
    case Op::And:
    case Op::Andi:
      return a.factor == 1 && a.plus == 0;
    case Op::Slli:
      return a.plus == 0 && (shift ? *shift + by < 32 : uint64_t{a.high} << by <= INT32_MAX);
    case Op::Srli:
      return by != 0 && shift == by && a.plus == 0;
    default:
      return false;
  }
}

// Computes the modulus (AbstractValue) of an address after an addition or a left shift. The sum of a multiple
// and a smaller value gets the factor of the multiple as its modulus. A shift beyond 31 bits loses the
// modulus.
void keep_modulus(Op op, const V& a, const V& b, V& result) {
  const uint32_t by = b.low & 31;
  if (b.is_constant() && (op == Op::Add || op == Op::Addi)) {
    const bool multiple = a.modulus == 0 && a.id != 0 && a.factor > 1;
    result.modulus = multiple ? a.factor : a.modulus;
    result.residue = (multiple ? a.plus : a.residue) + b.low;
    result.reach = a.reach;
  } else if (b.is_constant() && op == Op::Slli) {
    const int64_t residue = int64_t{int32_t(a.residue)} * (int64_t{1} << by);
    const bool fits = uint64_t{a.high} << by <= INT32_MAX && residue == int32_t(residue) &&
                      uint64_t{a.modulus} << by <= INT32_MAX;
    result.modulus = fits ? a.modulus << by : 0;
    result.residue = a.residue << by;
    result.reach = a.reach << by;
  } else if (op == Op::Add) {
    const bool first = a.id != 0 && a.factor > b.high;
    const V& multiple = first ? a : b;
    const V& rest = first ? b : a;
    if (multiple.id == 0 || multiple.factor <= rest.high)
      return;
    result.modulus = multiple.factor;
    result.residue = multiple.plus + rest.low;
    result.reach = rest.high - rest.low;
  }
}

void relate(Op op, const V& a, const V& b, V& result) {
  if (a.id == 0 || !can_relate(op, a, b))
    return;
  const uint32_t by = b.low & 31;
  if (!b.is_constant()) {
    const uint32_t factor = factor_of_sum(op, a, b);
    const V& number = a.factor == 1 ? a : b;
    V product = V::range(number.low * factor, number.high * factor);
    product.zeros |= (1u << std::countr_zero(factor)) - 1;
    result = meet(result, product);
    return set_number(result, a, factor, a.mask, 0);
  }
  if (op == Op::Add || op == Op::Addi)
    set_number(result, a, a.factor, a.mask, a.plus + b.low);
  else if (op == Op::Slli)
    set_number(result, a, a.factor << by, a.mask, 0);
  else if (op == Op::Srli)
    set_number(result, a, 1, a.mask & (UINT32_MAX >> by), 0);
  else
    set_number(result, a, 1, a.mask & b.low, 0);
}

void relate_time(Op op, const V& a, const V& b, V& result) {
  if (op == Op::Sub && a.time_shift == 1 && b.home != 0 && b.stamp != V::kManyStamps) {
    result.since = b.home;
    result.since_stamp = b.stamp;
    result.time_plus = a.time_plus - b.offset;
  }
  if (!b.is_constant())
    return;
  const uint32_t by = b.low & 31;
  const bool is_time = a.time_shift == 1 && a.time_plus == 0;
  if ((op == Op::Addi || op == Op::Add) && (a.time_shift == 1 || a.since != 0 || b.low == 0)) {
    result.time_shift = a.time_shift;
    result.time_plus = a.time_plus + b.low;
    result.since = a.since;
    result.since_stamp = a.since_stamp;
  } else if (
      (op == Op::Srli || op == Op::Srl) && (is_time || a.time_shift > 1) && a.time_shift <= 32 &&
      a.time_shift + by <= 32) {
    result.time_shift = a.time_shift + by;
  } else if ((op == Op::Slli || op == Op::Sll) && a.time_shift == 1 + by && by > 0) {
    result.time_shift = 33 + by;
  } else if (
      (op == Op::And || op == Op::Andi) && is_time && b.low != UINT32_MAX &&
      std::has_single_bit(~b.low + 1)) {
    result.time_shift = 33 + uint32_t(std::countr_zero(b.low));
  }
}

void count_ones(const V& a, const V& b, V& result) {
  const bool alike = of_one_number(a, b) && a.factor == b.factor && a.mask == b.mask;
  if (!alike || (b.plus + 1 != a.plus && a.plus + 1 != b.plus))
    return;
  const V& v = b.plus + 1 == a.plus ? a : b;
  V fewer;
  fewer.most_ones = uint8_t(std::max(v.most_ones - 1, 0));
  result = meet(result, fewer);
}

V sharpened(const V& other, const V& known) {
  V out = other;
  if (of_one_word(other, known))
    out = meet(out, plus(known, other.offset - known.offset));
  if (of_one_number(other, known)) {
    const std::optional<uint32_t> shift = shift_of(known);
    const bool of_number = known.factor == 1 && known.plus == 0 && other.mask == known.mask;
    if (other.factor == known.factor && other.mask == known.mask) {
      out = meet(out, plus(known, other.plus - known.plus));
    } else if (other.factor == 1 && other.plus == 0 && shift && known.plus == 0) {
      V part = abstract_alu(Op::Srli, known, V::constant(*shift));
      part.mask = known.mask & (UINT32_MAX >> *shift);
      share_bits(out, part);
    } else if (of_number && shift_of(other) && other.plus == 0) {
      out = meet(out, abstract_alu(Op::Slli, known, V::constant(*shift_of(other))));
    } else if (of_number && uint64_t{known.high} * other.factor <= INT32_MAX) {
      out = meet(out, plus(V::range(known.low * other.factor, known.high * other.factor), other.plus));
    }
  }
  return out.empty() ? other : out;
}

}  // namespace lento::tile
