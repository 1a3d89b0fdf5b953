// Computes terms of sums, differences, masks and shifts, and narrows a value by another over the same number.
// For that, the bounds of each value are converted to bounds of its masked number (bits_of). An interval
// carries over when the mask of one term includes that of the other, widened by the bits in which the masks
// differ.
#include "tile/unit/verify/relation.h"

#include <algorithm>
#include <bit>

namespace lento::tile {
namespace {

using riscv::Op;
using V = AbstractValue;

V plus(const V& v, uint32_t addend) {
  return abstract_alu(Op::Add, v, V::constant(addend));
}

bool is_sum(Op op) {
  return op == Op::Add || op == Op::Addi;
}

// Returns n for a term whose factor is 2^n.
uint32_t exponent_of(const Term& t) {
  return uint32_t(std::countr_zero(t.factor));
}

// Returns `t` with `factor` in place of its own. A power of two removes from `mask` the bits that it shifts
// out of the 32 bits. With another factor, the caller makes sure that the product is below 2^31.
Term scaled(Term t, uint32_t factor) {
  t.factor = factor;
  if (std::has_single_bit(factor))
    t.mask &= UINT32_MAX >> std::countr_zero(factor);
  return t;
}

Term added(Term t, uint32_t addend) {
  (t.is_sum() ? t.inner : t.plus) += addend;
  return t;
}

// Returns the term of a value with the term `t`, shifted right by `by`. The factor of `t` is a power of two,
// and `t` has no addend. Returns no term when no bit of `mask` remains.
Term shifted_right(Term t, uint32_t by) {
  const uint32_t left = exponent_of(t);
  const uint32_t more = by - std::min(by, left);
  t.factor >>= std::min(by, left);
  t.right += more;
  t.mask >>= more;
  return t.mask == 0 ? Term{} : t;
}

// Returns the term of `op` on a and the constant c, or no term when the result does not have the form of one.
// `a` has a term.
Term with_constant(Op op, const V& a, uint32_t c) {
  const Term& t = a.term;
  if (is_sum(op))
    return added(t, c);
  if (op == Op::Sub)
    return added(t, 0u - c);
  const bool shifts = std::has_single_bit(t.factor);
  if (t.plus != 0 || t.minus != 0)
    return {};
  if ((op == Op::And || op == Op::Andi) && shifts) {
    Term out = t;
    out.mask &= c >> exponent_of(t);
    return out.mask == 0 ? Term{} : out;
  }
  const uint32_t by = c & 31;
  if (op == Op::Slli && (shifts ? exponent_of(t) + by < 32 : uint64_t{a.high} << by <= INT32_MAX))
    return scaled(t, t.factor << by);
  const bool is_positive = a.high <= INT32_MAX;
  if ((op == Op::Srli || (op == Op::Srai && is_positive)) && shifts)
    return shifted_right(t, by);
  return {};
}

bool of_one_window(const Term& a, const Term& b) {
  return a.number != 0 && a.number == b.number && a.inner == b.inner && a.right == b.right &&
         a.mask == b.mask && a.minus == 0 && b.minus == 0;
}

// Returns the term of a + b or a - b, or no term. When a and b are n and k * n, in either order, for one
// masked number n (bits_of) and a factor k, their sum is (k + 1) * n, and the difference of the larger and
// the smaller is (k - 1) * n. A difference whose second operand is a number plus a constant has that number
// in `minus`.
Term of_sum(Op op, const V& a, const V& b) {
  const Term& s = a.term;
  const Term& t = b.term;
  const V& one = s.factor == 1 ? a : b;
  if (of_one_window(s, t) && s.plus == 0 && t.plus == 0 && one.term.factor == 1) {
    const uint64_t factor = is_sum(op)            ? uint64_t{s.factor} + t.factor
                            : s.factor > t.factor ? s.factor - t.factor
                                                  : 0;
    if (factor > 0 && factor <= INT32_MAX && one.high * factor <= INT32_MAX)
      return scaled(s, uint32_t(factor));
  }
  if (op != Op::Sub || t.number == 0 || t.number == s.number || s.minus != 0 || !t.is_sum() || t.minus != 0)
    return {};
  Term out = added(s, 0u - t.inner);
  out.minus = t.number;
  return out;
}

// Narrows `result`, a & b, when a and b differ by 1: v & (v - 1) clears the lowest bit of v that is 1.
void count_ones(const V& a, const V& b, V& result) {
  const std::optional<uint32_t> step = distance(a, b, UINT32_MAX);
  if (step != UINT32_MAX && step != 1u)
    return;
  const V& v = step == 1u ? b : a;
  V fewer;
  fewer.most_ones = uint8_t(std::max(v.most_ones - 1, 0));
  result = meet(result, fewer);
}

// Sets the congruence (modulus, residue, reach) of `result`, when it is a sum or a shift to the left by a
// constant.
void keep_modulus(Op op, const V& a, const V& b, V& result) {
  const uint32_t by = b.low & 31;
  if (is_sum(op) && b.is_constant()) {
    result.modulus = a.modulus;
    result.residue = a.residue + b.low;
    result.reach = a.reach;
  } else if (op == Op::Slli && b.is_constant()) {
    const int64_t residue = int64_t{int32_t(a.residue)} * (int64_t{1} << by);
    const bool fits = uint64_t{a.high} << by <= INT32_MAX && residue == int32_t(residue) &&
                      uint64_t{a.modulus} << by <= INT32_MAX;
    result.modulus = fits ? a.modulus << by : 0;
    result.residue = a.residue << by;
    result.reach = a.reach << by;
  } else if (is_sum(op)) {
    const V& multiple = a.modulus > b.high ? a : b;
    const V& rest = a.modulus > b.high ? b : a;
    if (multiple.modulus <= rest.high)
      return;
    result.modulus = multiple.modulus;
    result.residue = multiple.residue + rest.low;
    result.reach = multiple.reach + rest.high - rest.low;
  }
}

// Returns the bounds of the masked number of v, (number + inner) & (mask << right) by v's term, from the
// bounds of v.
V bits_of(const V& v) {
  const Term& t = v.term;
  V product = plus(v, 0u - t.plus);
  if (std::has_single_bit(t.factor))
    product = abstract_alu(Op::Srli, product, V::constant(exponent_of(t)));
  else
    product = V::range(uint32_t((uint64_t{product.low} + t.factor - 1) / t.factor), product.high / t.factor);
  V lane = V::range(0, t.mask);
  lane.zeros = ~t.mask;
  return abstract_alu(Op::Slli, meet(product, lane), V::constant(t.right));
}

// The inverse of bits_of: returns the bounds of a value with the term `t`, (bits >> right) * factor + plus,
// from the bounds `bits` of its masked number.
V value_of_bits(const V& bits, const Term& t) {
  V product = abstract_alu(Op::Srli, bits, V::constant(t.right));
  if (std::has_single_bit(t.factor)) {
    product = abstract_alu(Op::Slli, product, V::constant(exponent_of(t)));
  } else {
    const uint32_t most = INT32_MAX / t.factor;
    product = V::range(std::min(product.low, most) * t.factor, std::min(product.high, most) * t.factor);
  }
  return plus(product, t.plus);
}

// Returns the bounds `bits` of x & mask, for some value x, narrowed by the bounds `known` of x & known_mask:
// by the known bits that both masks keep, and by the interval where one mask includes the other.
V shared_bits(const V& bits, uint32_t mask, const V& known, uint32_t known_mask) {
  const uint32_t more = mask & ~known_mask;
  const uint32_t less = known_mask & ~mask;
  V same;
  same.zeros = known.zeros & known_mask & mask;
  same.ones = known.ones & mask;
  if (less == 0) {
    same.low = known.low;
    same.high = uint32_t(std::min<uint64_t>(uint64_t{known.high} + more, UINT32_MAX));
  } else if (more == 0) {
    same.low = known.low > less ? known.low - less : 0;
    same.high = known.high;
  }
  if (mask == known_mask)
    same = meet(same, known);
  return meet(bits, same);
}

}  // namespace

void relate(Op op, const V& a, const V& b, V& result) {
  if (op == Op::And)
    count_ones(a, b, result);
  keep_modulus(op, a, b, result);
  if (a.term.number == 0)
    return;
  result.term = b.is_constant()               ? with_constant(op, a, b.low)
                : is_sum(op) || op == Op::Sub ? of_sum(op, a, b)
                                              : Term{};
  const Term& t = result.term;
  if (t.number == 0 || t.minus != 0)
    return;
  if (!b.is_constant())
    result = meet(result, value_of_bits(bits_of(a.term.factor == 1 ? a : b), t));
  // A factor that is a power of two shows in the known bits.
  if (t.factor > 1 && (result.modulus == 0 || !std::has_single_bit(t.factor))) {
    result.modulus = t.factor;
    result.residue = t.plus;
    result.reach = 0;
  }
}

V related_alu(Op op, const V& a, const V& b) {
  V out = abstract_alu(op, a, b);
  if (out.term.number == 0 || !b.is_constant())
    relate(op, a, b, out);
  return out;
}

std::optional<uint32_t> distance(const V& a, const V& b, uint32_t mask) {
  const Term& s = a.term;
  const Term& t = b.term;
  if (s.number != 0 && s == t)
    return 0;
  if (s.number == 0 || s.number != t.number || s.minus != t.minus)
    return std::nullopt;
  if (of_one_window(s, t) && s.factor == t.factor)
    return (t.plus - s.plus) & mask;
  const bool low_bits = s.is_low_bits() && t.is_low_bits() && (mask & ~(s.mask & t.mask)) == 0;
  return low_bits ? std::optional((t.inner - s.inner) & mask) : std::nullopt;
}

V sharpened(const V& other, const V& known) {
  const Term& o = other.term;
  const Term& k = known.term;
  if (o.number == 0 || o.number != k.number || o.minus != k.minus)
    return other;
  V out = other;
  if (o == k) {
    out = meet(other, known);
  } else if (o.is_sum() && k.is_sum()) {
    out = meet(other, plus(known, o.inner - k.inner));
  } else if (o.minus == 0) {
    if (o.inner != k.inner && (k.right != 0 || (k.mask & (k.mask + 1)) != 0))
      return other;
    V bits = bits_of(known);
    if (o.inner != k.inner)
      bits = abstract_alu(Op::And, plus(bits, o.inner - k.inner), V::constant(k.mask));
    out =
        meet(out, value_of_bits(shared_bits(bits_of(other), o.mask << o.right, bits, k.mask << k.right), o));
  }
  return out.empty() ? other : out;
}

}  // namespace lento::tile
