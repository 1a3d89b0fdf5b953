// Relates registers that derive from one unknown number (AbstractValue::id). The outcome of a branch on one
// of them narrows the others, so that `i + 1`, computed before i was compared, or `v & 0xfffe` next to `v`,
// keep their bounds. Every step is sound.
#pragma once

#include "riscv/instruction.h"
#include "tile/unit/verify/abstract_value.h"

namespace lento::tile {

// Returns whether the result of `op` on a and b is (number & mask) * factor + plus of the unknown number from
// which `a` derives.
bool can_relate(riscv::Op op, const AbstractValue& a, const AbstractValue& b);

// Records in `result` how it derives from the unknown number of `a`, such as by an added constant, so that a
// branch on one of them narrows the other. Leaves `result` unrelated where can_relate() is false.
void relate(riscv::Op op, const AbstractValue& a, const AbstractValue& b, AbstractValue& result);

// Records the modulus of a sum or product (AbstractValue::modulus).
void keep_modulus(riscv::Op op, const AbstractValue& a, const AbstractValue& b, AbstractValue& result);

// Records in `result` that it is the input's arrival time, shifted, masked or plus a constant
// (AbstractValue::time_shift), or the cycles from a time in a scratchpad cell to the arrival
// (AbstractValue::since).
void relate_time(riscv::Op op, const AbstractValue& a, const AbstractValue& b, AbstractValue& result);

// Narrows the result of v & (v - 1), which clears the lowest set bit, when a and b are v and v - 1.
void count_ones(const AbstractValue& a, const AbstractValue& b, AbstractValue& result);

// Returns `other` narrowed by `known` when both derive from one unknown number or from one store to a cell.
// Otherwise, and when no value would remain, returns `other` unchanged.
AbstractValue sharpened(const AbstractValue& other, const AbstractValue& known);

}  // namespace lento::tile
