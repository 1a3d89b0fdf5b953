// Registers that were made of one number: what a branch says of one of them holds for the others, so that
// `i + 1`, computed before i was compared, or `v & 0xfffe` beside `v`, keep their bounds. Every step is
// sound.
#pragma once

#include "riscv/instruction.h"
#include "tile/unit/verify/abstract_value.h"

namespace lento::tile {

// Whether what a is made of can be told of the result of `op` on a and b as well.
bool can_relate(riscv::Op op, const AbstractValue& a, const AbstractValue& b);

// Says of the result what it is made of, when that is the number that a is made of.
void relate(riscv::Op op, const AbstractValue& a, const AbstractValue& b, AbstractValue& result);

// v & (v - 1), which takes the lowest one away: `result` sharpened when a and b are v and v - 1.
void count_ones(const AbstractValue& a, const AbstractValue& b, AbstractValue& result);

// Whether the first is the second shifted left.
bool is_shifted(const AbstractValue& shifted, const AbstractValue& v);

// `other`, sharpened by what is known of `known`. As it was when both are not made of one number or word, and
// when nothing would be left of it.
AbstractValue sharpened(const AbstractValue& other, const AbstractValue& known);

}  // namespace lento::tile
