// Implements the domain of abstract values: unsigned and signed intervals and known bits, which narrow one
// another, and small sets of code addresses. Every operation is sound: it includes the result of every
// concrete pair of operands. Known bits of sums follow tnum_add of the Linux verifier. Cost: constant an
// operation.
#include "tile/unit/verify/abstract_value.h"

#include <bit>
#include <limits>
#include <vector>

#include "riscv/alu.h"
#include "tile/unit/ypu_map.h"

namespace lento::tile {
namespace {

using riscv::Op;
using V = AbstractValue;

constexpr uint32_t kSign = 0x80000000;
constexpr uint32_t kPlaceLimit = YPU_MAP_CODE_BYTES;

int32_t as_signed(uint32_t v) {
  return int32_t(v);
}
uint32_t as_unsigned(int32_t v) {
  return uint32_t(v);
}

// Narrows the unsigned and the signed interval by each other. Where all possible values have the same sign
// bit, both intervals hold the same values.
void share_intervals(V& v) {
  if (v.zeros & kSign)
    v.least = std::max(v.least, 0);
  if (v.ones & kSign)
    v.most = std::min(v.most, -1);
  if (v.high < kSign || v.low >= kSign) {
    v.least = std::max(v.least, as_signed(v.low));
    v.most = std::min(v.most, as_signed(v.high));
  }
  if (v.low > 0 && v.most == 0)
    v.most = -1;
  if (v.low > 0 && v.least == 0)
    v.least = 1;
  if (v.high < UINT32_MAX && v.least == -1)
    v.least = 0;
  if (v.high < UINT32_MAX && v.most == -1)
    v.most = -2;
  if (v.least >= 0 || v.most < 0) {
    v.low = std::max(v.low, as_unsigned(v.least));
    v.high = std::min(v.high, as_unsigned(v.most));
  }
}

// Moves the ends of the unsigned interval inwards to multiples of 2^n, where the n lowest bits are known to
// be 0.
void align(V& v) {
  const int bits = std::countr_one(v.zeros);
  if (bits == 0 || bits == 32)
    return;
  const uint32_t rest = (1u << bits) - 1;
  if ((v.low & rest) != 0 && v.low <= UINT32_MAX - rest)
    v.low = (v.low + rest) & ~rest;
  v.high &= ~rest;
}

// Narrows intervals, known bits and the number of bits that are 1 by each other.
void normalise(V& v) {
  if (v.low == 0 && v.high == UINT32_MAX && (v.zeros | v.ones) == 0 && v.least == INT32_MIN &&
      v.most == INT32_MAX && v.most_ones == 32)
    return;  // nothing is known, which is the common case
  if (v.most_ones <= std::popcount(v.ones))
    v.zeros |= ~v.ones;
  v.low = std::max(v.low, v.ones);
  v.high = std::min(v.high, ~v.zeros);
  if (v.low <= v.high && v.least <= v.most)
    share_intervals(v);
  align(v);
  if (v.low > v.high)
    return;  // no value is possible: the path cannot be taken
  const uint32_t differing = v.low ^ v.high;
  const uint32_t known = differing == 0       ? UINT32_MAX
                         : differing >= kSign ? 0
                                              : ~(std::bit_ceil(differing + 1) - 1);
  v.ones |= v.low & known;
  v.zeros |= ~v.low & known;
  v.most_ones = std::min(v.most_ones, uint8_t(32 - std::popcount(v.zeros)));
}

V bits(uint32_t zeros, uint32_t ones) {
  V v;
  v.zeros = zeros;
  v.ones = ones;
  normalise(v);
  return v;
}

// Narrows the signed interval of `v` to the results `least` to `most` of 64-bit arithmetic, reduced to 32
// bits. Does nothing when the two wrap around a different number of times, because the reduced results then
// are no interval.
void set_signed(V& v, int64_t least, int64_t most) {
  constexpr int64_t kHalf = int64_t{1} << 31;
  if (((least + kHalf) >> 32) != ((most + kHalf) >> 32))
    return;
  v.least = std::max(v.least, int32_t(least));
  v.most = std::min(v.most, int32_t(most));
}

// Returns the most bits that can be 1 in a + b, a | b and a ^ b.
uint8_t ones_of_both(const V& a, const V& b) {
  return uint8_t(std::min(a.most_ones + b.most_ones, 32));
}

V add(const V& a, const V& b) {
  // A bit of the sum is known where it is known in both operands and where the sum of their least values
  // agrees with that of their greatest (tnum_add of Linux).
  const uint32_t am = ~(a.zeros | a.ones);
  const uint32_t bm = ~(b.zeros | b.ones);
  const uint32_t least = a.ones + b.ones;
  const uint32_t chi = (am + bm + least) ^ least;
  const uint32_t unknown = chi | am | bm;
  V out = bits(~least & ~unknown, least & ~unknown);
  const uint64_t low = uint64_t{a.low} + b.low;
  const uint64_t high = uint64_t{a.high} + b.high;
  if ((low >> 32) == (high >> 32)) {
    out.low = std::max(out.low, uint32_t(low));
    out.high = std::min(out.high, uint32_t(high));
  }
  set_signed(out, int64_t{a.least} + b.least, int64_t{a.most} + b.most);
  out.most_ones = ones_of_both(a, b);
  normalise(out);
  return out;
}

// Returns the possible values of -a modulo 2^32.
V negate(const V& a) {
  V out;
  if (a.low > 0 || a.high == 0)
    out = V::range(0u - a.high, 0u - a.low);
  set_signed(out, -int64_t{a.most}, -int64_t{a.least});
  const int low_zeros = std::countr_one(a.zeros);
  if (low_zeros < 32)
    out.zeros |= (1u << low_zeros) - 1;
  normalise(out);
  return out;
}

// Returns the possible values of the shift `op` of a by the constant `by`, 0 to 31.
V shift(Op op, const V& a, uint32_t by) {
  V out;
  if (op == Op::Sll || op == Op::Slli) {
    out = bits(a.zeros << by | ((1u << by) - 1), a.ones << by);
    if ((uint64_t{a.high} << by) <= UINT32_MAX) {
      out.low = std::max(out.low, a.low << by);
      out.high = std::min(out.high, a.high << by);
    }
    const int64_t scale = int64_t{1} << by;
    set_signed(out, a.least * scale, a.most * scale);
    out.most_ones = a.most_ones;
    normalise(out);
    return out;
  }
  const bool arithmetic = op == Op::Sra || op == Op::Srai;
  if (arithmetic && a.high >= kSign && a.low < kSign) {
    set_signed(out, a.least >> by, a.most >> by);
    normalise(out);
    return out;
  }
  const auto move = [&](uint32_t v) {
    return riscv::alu(op, v, by);
  };
  out = V::range(move(a.low), move(a.high));
  const uint32_t top = by ? ~(UINT32_MAX >> by) : 0;
  const bool negative = arithmetic && a.low >= kSign;
  out.zeros |= (a.zeros >> by & ~top) | (negative ? 0 : top);
  out.ones |= (a.ones >> by & ~top) | (negative ? top : 0);
  if (!arithmetic)
    out.most_ones = a.most_ones;
  normalise(out);
  return out;
}

V truth(Truth t) {
  return t == Truth::Unknown ? V::range(0, 1) : V::constant(t == Truth::Yes);
}

V evaluate(Op op, const V& a, const V& b) {
  switch (op) {
    case Op::Add:
    case Op::Addi:
      return add(a, b);
    case Op::Sub:
      return a == b && a.is_constant() ? V::constant(0) : add(a, negate(b));
    case Op::And:
    case Op::Andi: {
      V out = bits(a.zeros | b.zeros, a.ones & b.ones);
      out.high = std::min({out.high, a.high, b.high});
      out.most_ones = std::min(a.most_ones, b.most_ones);
      normalise(out);
      return out;
    }
    case Op::Or:
    case Op::Ori: {
      V out = bits(a.zeros & b.zeros, a.ones | b.ones);
      out.low = std::max({out.low, a.low, b.low});
      out.most_ones = ones_of_both(a, b);
      normalise(out);
      return out;
    }
    case Op::Xor:
    case Op::Xori: {
      V out = bits((a.zeros & b.zeros) | (a.ones & b.ones), (a.zeros & b.ones) | (a.ones & b.zeros));
      out.most_ones = ones_of_both(a, b);
      normalise(out);
      return out;
    }
    case Op::Sll:
    case Op::Slli:
    case Op::Srl:
    case Op::Srli:
    case Op::Sra:
    case Op::Srai:
      if (b.is_constant())
        return shift(op, a, b.low & 31);
      return op == Op::Srl ? V::range(0, a.high) : V::any();
    case Op::Slt:
    case Op::Slti:
      return truth(abstract_branch(Op::Blt, a, b));
    case Op::Sltu:
    case Op::Sltiu:
      return truth(abstract_branch(Op::Bltu, a, b));
    default:
      return V::any();
  }
}

// Returns whether a < b, by the unsigned interval (members low and high) or by the signed one (least and
// most).
template <class T>
Truth below(const V& a, const V& b, T V::*low, T V::*high) {
  if (a.*high < b.*low)
    return Truth::Yes;
  return a.*low >= b.*high ? Truth::No : Truth::Unknown;
}

Truth opposite(Truth t) {
  return t == Truth::Yes ? Truth::No : t == Truth::No ? Truth::Yes : t;
}

// Narrows a and b given that a < b, or a <= b when `or_equal`. The members `low` and `high` are the ends of
// the unsigned or of the signed interval.
template <class T>
void narrow_below(V& a, V& b, bool or_equal, T V::*low, T V::*high) {
  const T step = or_equal ? 0 : 1;
  if (b.*high >= std::numeric_limits<T>::min() + step)
    a.*high = std::min<T>(a.*high, b.*high - step);
  if (a.*low <= std::numeric_limits<T>::max() - step)
    b.*low = std::max<T>(b.*low, a.*low + step);
  normalise(a);
  normalise(b);
}

// Narrows an interval of a, whose ends are the members `low` and `high`, given that a differs from the
// constant c: an end that equals c moves inwards.
template <class T>
void exclude(V& a, T c, T V::*low, T V::*high) {
  if (a.*low < a.*high && a.*low == c)
    ++(a.*low);
  if (a.*low < a.*high && a.*high == c)
    --(a.*high);
}

// Narrows a's intervals given that a differs from b. Has an effect only when b is a constant.
void exclude(V& a, const V& b) {
  if (!b.is_constant() || a.is_constant())
    return;
  exclude(a, b.low, &V::low, &V::high);
  exclude(a, as_signed(b.low), &V::least, &V::most);
  normalise(a);
}

bool is_place(const V& v) {
  return v.places > 0 || (v.is_constant() && v.low < kPlaceLimit && v.low % 4 == 0);
}

// Sets the code addresses of `out` to the union of those of a and b, where a constant counts when it can be a
// code address. Leaves `out` without a set when a or b has none, or when the union has more than four
// addresses.
void join_places(const V& a, const V& b, V& out) {
  if (!is_place(a) || !is_place(b))
    return;
  std::vector<uint16_t> all;
  for (const V* v : {&a, &b}) {
    all.insert(all.end(), v->place.begin(), v->place.begin() + v->places);
    if (v->places == 0)
      all.push_back(uint16_t(v->low));
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  if (all.size() > out.place.size())
    return;
  out.places = uint8_t(all.size());
  std::ranges::copy(all, out.place.begin());
}

}  // namespace

AbstractValue AbstractValue::range(uint32_t low, uint32_t high) {
  AbstractValue v;
  v.low = low;
  v.high = high;
  normalise(v);
  return v;
}

bool AbstractValue::same_value(const AbstractValue& o) const {
  return low == o.low && high == o.high && zeros == o.zeros && ones == o.ones && least == o.least &&
         most == o.most && most_ones == o.most_ones && initialised == o.initialised && places == o.places &&
         place == o.place;
}

AbstractValue meet(const AbstractValue& a, const AbstractValue& b) {
  AbstractValue out = a;
  out.low = std::max(a.low, b.low);
  out.high = std::min(a.high, b.high);
  out.zeros |= b.zeros;
  out.ones |= b.ones;
  out.least = std::max(a.least, b.least);
  out.most = std::min(a.most, b.most);
  out.most_ones = std::min(a.most_ones, b.most_ones);
  normalise(out);
  return out;
}

AbstractValue join(const AbstractValue& a, const AbstractValue& b) {
  if (a == b)
    return a;
  AbstractValue out;
  out.low = std::min(a.low, b.low);
  out.high = std::max(a.high, b.high);
  out.zeros = a.zeros & b.zeros;
  out.ones = a.ones & b.ones;
  out.least = std::min(a.least, b.least);
  out.most = std::max(a.most, b.most);
  out.most_ones = std::max(a.most_ones, b.most_ones);
  out.initialised = a.initialised && b.initialised;
  if (!(out.is_constant()))
    join_places(a, b, out);
  if (a.term == b.term)
    out.term = a.term;
  if (a.modulus == b.modulus && a.residue == b.residue && a.reach == b.reach) {
    out.modulus = a.modulus;
    out.residue = a.residue;
    out.reach = a.reach;
  }
  return out;
}

AbstractValue abstract_alu(Op op, const AbstractValue& a, const AbstractValue& b) {
  const bool sum = op == Op::Add || op == Op::Addi;
  const bool masks = op == Op::And || op == Op::Andi;
  if ((sum && b.is_constant() && b.low == 0) || (masks && b.is_constant() && (a.zeros | b.low) == UINT32_MAX))
    return a;
  const bool exact = a.is_constant() && b.is_constant();
  AbstractValue out = exact ? AbstractValue::constant(riscv::alu(op, a.low, b.low)) : evaluate(op, a, b);
  out.initialised = true;
  return out;
}

// Returns whether the branch `op` is taken for all possible values of a and b (Yes), for none (No), or
// whether that is not known (Unknown).
Truth abstract_branch(Op op, const AbstractValue& a, const AbstractValue& b) {
  switch (op) {
    case Op::Beq:
    case Op::Bne: {
      Truth equal = Truth::Unknown;
      if (a.is_constant() && b.is_constant() && a.low == b.low)
        equal = Truth::Yes;
      if (a.high < b.low || b.high < a.low || (a.ones & b.zeros) || (a.zeros & b.ones))
        equal = Truth::No;
      if (a.most < b.least || b.most < a.least)
        equal = Truth::No;
      return op == Op::Beq ? equal : opposite(equal);
    }
    case Op::Blt:
      return below(a, b, &V::least, &V::most);
    case Op::Bge:
      return opposite(below(a, b, &V::least, &V::most));
    case Op::Bltu:
      return below(a, b, &V::low, &V::high);
    case Op::Bgeu:
      return opposite(below(a, b, &V::low, &V::high));
    default:
      return Truth::Unknown;
  }
}

void refine(Op op, bool taken, AbstractValue& a, AbstractValue& b) {
  if (op == Op::Bne || op == Op::Bge || op == Op::Bgeu) {
    op = op == Op::Bne ? Op::Beq : op == Op::Bge ? Op::Blt : Op::Bltu;
    taken = !taken;
  }
  if (op == Op::Beq && taken) {
    const V before = a;
    a = meet(a, b);
    b = meet(b, before);
    return;
  }
  if (op == Op::Beq) {
    exclude(a, b);
    exclude(b, a);
    return;
  }
  V& less = taken ? a : b;
  V& more = taken ? b : a;
  if (op == Op::Blt)
    narrow_below(less, more, !taken, &V::least, &V::most);
  else
    narrow_below(less, more, !taken, &V::low, &V::high);
}

}  // namespace lento::tile
