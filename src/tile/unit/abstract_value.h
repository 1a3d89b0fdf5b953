// What the verifier knows of a 32-bit value: an unsigned interval, known bits, and whether it was ever
// set. Every operation is sound: the concrete result is always inside.
#pragma once

#include <algorithm>
#include <cstdint>

#include "riscv/instruction.h"

namespace lento::tile {

struct AbstractValue {
  uint32_t low = 0, high = UINT32_MAX;
  uint32_t zeros = 0, ones = 0;  // bits known to be 0, known to be 1
  bool initialised = true;

  static AbstractValue any() { return {}; }
  static AbstractValue constant(uint32_t value) { return {value, value, ~value, value, true}; }
  static AbstractValue range(uint32_t low, uint32_t high);

  bool is_constant() const { return low == high; }
  bool operator==(const AbstractValue&) const = default;
};

AbstractValue join(const AbstractValue& a, const AbstractValue& b);

// The abstract counterpart of riscv::alu.
AbstractValue abstract_alu(riscv::Op op, const AbstractValue& a, const AbstractValue& b);

enum class Truth : uint8_t { No, Yes, Unknown };
Truth abstract_branch(riscv::Op op, const AbstractValue& a, const AbstractValue& b);

// Narrows a and b to the values for which the branch goes `taken`.
void refine(riscv::Op op, bool taken, AbstractValue& a, AbstractValue& b);

}  // namespace lento::tile
