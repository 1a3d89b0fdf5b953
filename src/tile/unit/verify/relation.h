// Relates values that derive from one number (Term): the outcome of a branch on one of them narrows the
// others, so that `i + 1`, computed before i was compared, or `v & 0xfffe` next to `v`, keep their bounds.
// Terms are uninterpreted functions over an interval domain, kept in a normal form of constant size (after
// Gange, Navas, Schachte, Søndergaard and Stuckey, "An abstract domain of uninterpreted functions", 2016).
// Every step is sound.
#pragma once

#include <optional>

#include "riscv/instruction.h"
#include "tile/unit/verify/abstract_value.h"

namespace lento::tile {

// Gives `result`, the value of `op` on a and b, its term, its congruence, and the bounds that follow from the
// terms of a and b. The result has no term where `op` leaves the normal form.
void relate(riscv::Op op, const AbstractValue& a, const AbstractValue& b, AbstractValue& result);

// Returns the result of `op` with its term.
AbstractValue related_alu(riscv::Op op, const AbstractValue& a, const AbstractValue& b);

// Returns b - a modulo mask + 1, where mask is low bits, when the low bits of both are one number plus
// constants.
std::optional<uint32_t> distance(const AbstractValue& a, const AbstractValue& b, uint32_t mask);

// Returns `other` narrowed by `known`. It is returned unchanged when both do not derive from one number, and
// when the result would be empty.
AbstractValue sharpened(const AbstractValue& other, const AbstractValue& known);

}  // namespace lento::tile
