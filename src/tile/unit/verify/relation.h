// Relates registers that derive from one number: the outcome of a branch on one of them narrows the others,
// so that `i + 1`, computed before i was compared, or `v & 0xfffe` next to `v`, keep their bounds. Every step
// is sound.
#pragma once

#include "riscv/instruction.h"
#include "tile/unit/verify/abstract_value.h"

namespace lento::tile {

// Returns whether the result of `op` on a and b can be expressed by the number that a derives from.
bool can_relate(riscv::Op op, const AbstractValue& a, const AbstractValue& b);

// Records in `result` its relation (such as a constant added) to the number that `a` derives from, so that a
// branch on one of them narrows the other. Leaves `result` unrelated where `op` keeps no such relation.
void relate(riscv::Op op, const AbstractValue& a, const AbstractValue& b, AbstractValue& result);

// Records the modulus of a sum or product (AbstractValue::modulus).
void keep_modulus(riscv::Op op, const AbstractValue& a, const AbstractValue& b, AbstractValue& result);

// Marks a result that is a form of the arrival time, or its distance from a cell.
void relate_time(riscv::Op op, const AbstractValue& a, const AbstractValue& b, AbstractValue& result);

// Narrows the result of v & (v - 1), which clears the lowest set bit, when a and b are v and v - 1.
void count_ones(const AbstractValue& a, const AbstractValue& b, AbstractValue& result);

// Returns `other` narrowed by `known`. It is returned unchanged when both do not derive from one number or
// word, and when the result would be empty.
AbstractValue sharpened(const AbstractValue& other, const AbstractValue& known);

}  // namespace lento::tile
