// Relates values with terms over one number (Term): the outcome of a branch on one of them narrows the
// others. So `i + 1` that was computed before i was compared, and `v & 0xfffe` next to `v`, are bounded too.
// Terms are uninterpreted functions over an interval domain, kept in a normal form of constant size (after
// Gange, Navas, Schachte, Søndergaard and Stuckey, "An abstract domain of uninterpreted functions", 2016).
// Every step is sound.
#pragma once

#include <optional>

#include "riscv/instruction.h"
#include "tile/unit/verify/abstract_value.h"

namespace lento::tile {

// Adds to `result`, which abstract_alu(op, a, b) returned, its term, its congruence, and the bounds that
// follow from the terms of a and b. The result gets no term when it does not have the form of one (Term).
void relate(riscv::Op op, const AbstractValue& a, const AbstractValue& b, AbstractValue& result);

// Returns abstract_alu(op, a, b) with the term, the congruence and the bounds that relate() adds.
AbstractValue related_alu(riscv::Op op, const AbstractValue& a, const AbstractValue& b);

// Returns (b - a) & mask, where mask is 2^n - 1, when the terms of a and b determine it because they differ
// by a constant in these bits. Returns nothing otherwise.
std::optional<uint32_t> distance(const AbstractValue& a, const AbstractValue& b, uint32_t mask);

// Returns `other`, narrowed by the bounds of `known` when the terms of both are over one number. Returns
// `other` unchanged when they are not, or when the result would be empty().
AbstractValue sharpened(const AbstractValue& other, const AbstractValue& known);

}  // namespace lento::tile
