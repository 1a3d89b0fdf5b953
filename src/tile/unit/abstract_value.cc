#include "tile/unit/abstract_value.h"

#include <bit>

#include "riscv/alu.h"

namespace lento::tile {
namespace {

using riscv::Op;
using V = AbstractValue;

constexpr uint32_t kSign = 0x80000000;

// Brings interval and known bits into agreement: each may sharpen the other.
V settle(V v) {
  v.low = std::max(v.low, v.ones);
  v.high = std::min(v.high, ~v.zeros);
  if (v.low > v.high) return v;  // no value at all: the path cannot be taken
  const uint32_t differing = v.low ^ v.high;
  const uint32_t known = differing == 0       ? UINT32_MAX
                         : differing >= kSign ? 0
                                              : ~(std::bit_ceil(differing + 1) - 1);
  v.ones |= v.low & known;
  v.zeros |= ~v.low & known;
  return v;
}

V bits(uint32_t zeros, uint32_t ones) { return settle({ones, ~zeros, zeros, ones, true}); }

V add(const V& a, const V& b) {
  // Known bits of a sum: carries agree where both the least and the most possible sum agree (Linux tnum_add).
  const uint32_t am = ~(a.zeros | a.ones), bm = ~(b.zeros | b.ones);
  const uint32_t least = a.ones + b.ones, chi = (am + bm + least) ^ least, unknown = chi | am | bm;
  V out = bits(~least & ~unknown, least & ~unknown);
  const uint64_t low = uint64_t{a.low} + b.low, high = uint64_t{a.high} + b.high;
  if ((low >> 32) == (high >> 32)) {
    out.low = std::max(out.low, static_cast<uint32_t>(low));
    out.high = std::min(out.high, static_cast<uint32_t>(high));
  }
  return settle(out);
}

V negate(const V& a) {
  if (a.low == 0 && a.high != 0) return V::any();
  V out = V::range(0u - a.high, 0u - a.low);
  const int low_zeros = std::countr_one(a.zeros);
  if (low_zeros < 32) out.zeros |= (1u << low_zeros) - 1;
  return settle(out);
}

V shift(Op op, const V& a, uint32_t by) {
  V out;
  if (op == Op::Sll || op == Op::Slli) {
    out = bits(a.zeros << by | ((1u << by) - 1), a.ones << by);
    if ((uint64_t{a.high} << by) <= UINT32_MAX)
      out.low = std::max(out.low, a.low << by), out.high = std::min(out.high, a.high << by);
    return settle(out);
  }
  const bool arithmetic = op == Op::Sra || op == Op::Srai;
  if (arithmetic && a.high >= kSign && a.low < kSign) return V::any();
  const auto move = [&](uint32_t v) { return riscv::alu(op, v, by); };
  out = V::range(move(a.low), move(a.high));
  const uint32_t top = by ? ~(UINT32_MAX >> by) : 0;
  const bool negative = arithmetic && a.low >= kSign;
  out.zeros |= (a.zeros >> by & ~top) | (negative ? 0 : top);
  out.ones |= (a.ones >> by & ~top) | (negative ? top : 0);
  return settle(out);
}

V truth(Truth t) { return t == Truth::Unknown ? V::range(0, 1) : V::constant(t == Truth::Yes); }

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
      return settle(out);
    }
    case Op::Or:
    case Op::Ori: {
      V out = bits(a.zeros & b.zeros, a.ones | b.ones);
      out.low = std::max({out.low, a.low, b.low});
      return settle(out);
    }
    case Op::Xor:
    case Op::Xori:
      return bits((a.zeros & b.zeros) | (a.ones & b.ones), (a.zeros & b.ones) | (a.ones & b.zeros));
    case Op::Sll:
    case Op::Slli:
    case Op::Srl:
    case Op::Srli:
    case Op::Sra:
    case Op::Srai:
      if (b.is_constant()) return shift(op, a, b.low & 31);
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

// For signed order: the interval with the sign bit flipped, when it does not wrap.
bool to_signed(const V& v, uint32_t& low, uint32_t& high) {
  if (v.low < kSign && v.high >= kSign) return low = 0, high = UINT32_MAX, false;
  low = v.low ^ kSign, high = v.high ^ kSign;
  return true;
}

Truth below(uint32_t a_low, uint32_t a_high, uint32_t b_low, uint32_t b_high) {
  if (a_high < b_low) return Truth::Yes;
  return a_low >= b_high ? Truth::No : Truth::Unknown;
}

Truth opposite(Truth t) { return t == Truth::Yes ? Truth::No : t == Truth::No ? Truth::Yes : t; }

// a < b holds (or a <= b when `or_equal`); both unsigned intervals.
void narrow_below(V& a, V& b, bool or_equal) {
  const uint32_t step = or_equal ? 0 : 1;
  if (b.high >= step) a.high = std::min(a.high, b.high - step);
  if (a.low <= UINT32_MAX - step) b.low = std::max(b.low, a.low + step);
  a = settle(a), b = settle(b);
}

}  // namespace

AbstractValue AbstractValue::range(uint32_t low, uint32_t high) { return settle({low, high, 0, 0, true}); }

AbstractValue join(const AbstractValue& a, const AbstractValue& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.zeros & b.zeros, a.ones & b.ones,
          a.initialised && b.initialised};
}

AbstractValue abstract_alu(Op op, const AbstractValue& a, const AbstractValue& b) {
  AbstractValue out = evaluate(op, a, b);
  if (a.is_constant() && b.is_constant()) out = AbstractValue::constant(riscv::alu(op, a.low, b.low));
  out.initialised = true;
  return out;
}

Truth abstract_branch(Op op, const AbstractValue& a, const AbstractValue& b) {
  uint32_t al = a.low, ah = a.high, bl = b.low, bh = b.high;
  switch (op) {
    case Op::Beq:
    case Op::Bne: {
      Truth equal = Truth::Unknown;
      if (a.is_constant() && b.is_constant() && a.low == b.low) equal = Truth::Yes;
      if (a.high < b.low || b.high < a.low || (a.ones & b.zeros) || (a.zeros & b.ones)) equal = Truth::No;
      return op == Op::Beq ? equal : opposite(equal);
    }
    case Op::Blt:
    case Op::Bge:
      to_signed(a, al, ah), to_signed(b, bl, bh);
      return op == Op::Blt ? below(al, ah, bl, bh) : opposite(below(al, ah, bl, bh));
    case Op::Bltu:
      return below(al, ah, bl, bh);
    case Op::Bgeu:
      return opposite(below(al, ah, bl, bh));
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
    const V both =
        settle({std::max(a.low, b.low), std::min(a.high, b.high), a.zeros | b.zeros, a.ones | b.ones, true});
    a = b = both;
    return;
  }
  if (op == Op::Beq) {  // unequal: an end of one interval may fall away
    if (b.is_constant() && a.low == b.low && a.low < a.high) a.low += 1;
    if (b.is_constant() && a.high == b.low && a.low < a.high) a.high -= 1;
    return;
  }
  uint32_t unused_low, unused_high;
  const bool is_signed = op == Op::Blt;
  const bool same_half = to_signed(a, unused_low, unused_high) && to_signed(b, unused_low, unused_high) &&
                         (a.low ^ b.low) < kSign;
  if (is_signed && !same_half) {
    // 0 <= b known and a >= b: a is not negative either.
    if (!taken && b.high < kSign)
      a.high = std::min(a.high, kSign - 1), a.low = std::max(a.low, b.low), a = settle(a);
    return;
  }
  if (taken)
    narrow_below(a, b, false);
  else
    narrow_below(b, a, true);
}

}  // namespace lento::tile
