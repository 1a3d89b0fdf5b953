// Keeps relations between registers that derive from one number by mask, shift and addition, and transfers
// bounds between them. An interval is transferred when one mask includes the other, and widened by the bits
// in which the masks differ.
#include "tile/unit/verify/relation.h"

#include <algorithm>

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

}  // namespace

bool can_relate(Op op, const V& a, const V& b) {
  if (!b.is_constant())
    return false;
  switch (op) {
    case Op::Add:
    case Op::Addi:
      return true;
    case Op::And:
    case Op::Andi:
    case Op::Slli:
      return a.by == 0 && a.plus == 0;
    case Op::Srli:
      return a.by != 0 && a.by == (b.low & 31) && a.plus == 0;
    default:
      return false;
  }
}

void relate(Op op, const V& a, const V& b, V& result) {
  if (a.id == 0 || !can_relate(op, a, b))
    return;
  V made = a;
  if (op == Op::Add || op == Op::Addi) {
    made.plus += b.low;
  } else if (op == Op::And || op == Op::Andi) {
    made.mask &= b.low;
  } else if (op == Op::Slli) {
    made.by = b.low & 31;
  } else {
    made.mask &= UINT32_MAX >> made.by;
    made.by = 0;
  }
  result.id = made.id;
  result.by = made.by;
  result.mask = made.mask;
  result.plus = made.plus;
}

void relate_time(Op op, const V& a, const V& b, V& result) {
  const bool moves = (op == Op::Addi || op == Op::Add) && b.is_constant() && b.low == 0;
  const bool shifts = (op == Op::Srli || op == Op::Srl) && b.is_constant();
  if (a.time_shift != 0 && moves)
    result.time_shift = a.time_shift;
  if (a.time_shift != 0 && shifts && a.time_shift + (b.low & 31) <= 32)
    result.time_shift = a.time_shift + (b.low & 31);
  if (a.since != 0 && moves) {
    result.since = a.since;
    result.since_stamp = a.since_stamp;
  }
  if (op == Op::Sub && a.time_shift == 1 && b.home != 0 && b.offset == 0 && b.stamp != V::kManyStamps) {
    result.since = b.home;
    result.since_stamp = b.stamp;
  }
}

void count_ones(const V& a, const V& b, V& result) {
  const bool alike = of_one_number(a, b) && a.by == b.by && a.mask == b.mask;
  if (!alike || (b.plus + 1 != a.plus && a.plus + 1 != b.plus))
    return;
  const V& v = b.plus + 1 == a.plus ? a : b;
  V fewer;
  fewer.most_ones = uint8_t(std::max(v.most_ones - 1, 0));
  result = meet(result, fewer);
}

bool is_shifted(const V& shifted, const V& v) {
  return v.id != 0 && shifted.id == v.id && shifted.mask == v.mask && shifted.by != 0 && v.by == 0 &&
         shifted.plus == 0 && v.plus == 0;
}

V sharpened(const V& other, const V& known) {
  V out = other;
  if (of_one_word(other, known))
    out = meet(out, plus(known, other.offset - known.offset));
  if (of_one_number(other, known)) {
    if (other.by == known.by && other.mask == known.mask)
      out = meet(out, plus(known, other.plus - known.plus));
    else if (is_shifted(other, known))
      out = meet(out, abstract_alu(Op::Slli, known, V::constant(other.by)));
    else if (other.by == 0 && known.by == 0 && other.plus == 0 && known.plus == 0)
      share_bits(out, known);
  }
  return out.empty() ? other : out;
}

}  // namespace lento::tile
