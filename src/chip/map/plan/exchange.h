// Who has what on the way of an exchange between cores. Internal to stages.cc.
//
// Core c of 2^n stands at c in its order, and c with bit b turned is its mirror image across the middle of
// their block of 2^(b+1) (BlockOrder). Of a source S(c) that c holds and D(c) that it needs, with stages from
// the highest bit in which a holder and a needer differ:
//
//   N_b(c) = what any core needs that differs from c below bit b only
//   H_b(c) = (H_b+1(c) and what its image at bit b has) within N_b(c),   H(c) = S(c) at first
//
// In the end H(c) holds D(c). Sums go the other way, from the lowest bit: after bit b core c has the sum over
// all that differ from it up to bit b, of what any core needs that does not.
//
// Parts stand such that images hold neighbouring shares (Choices::placements), so that H is one slice nearly
// always.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "chip/map/mapping.h"

namespace lento::chip {

using Slices = std::vector<Slice>;
using ByCore = std::vector<Slices>;  // by stand

// Joins what makes one slice.
void add(Slices& slices, Slice fresh);

// Bits in which holders and needers differ; 0 where stages are not worth it.
size_t stages_worth(const ByCore& have, const ByCore& need);

// Halvings lie along columns and along rows by turns. The larger exchanges, which come last, in pairs the
// other way around (`swapped`) use the other links at the same time.
std::vector<size_t> order_of_bits(size_t bits, bool swapped);

// What every core has after each stage; empty when it falls into too many slices. Bits in the order in which
// they are exchanged.
std::vector<ByCore> plan_stages(const ByCore& have, const ByCore& need, const std::vector<size_t>& bits);

// What every core has a sum of after each stage, the last stage, which is `need`, first; empty as above. Bits
// of the places in a group of so many, the lowest exchanged first.
std::vector<ByCore> plan_sums(const ByCore& need, size_t group);

// Two halves along an axis along which nobody's share is cut.
std::optional<std::array<Slice, 2>> halved(const ByCore& have, const ByCore& need);

ByCore within(const ByCore& all, const Slice& part);

}  // namespace lento::chip
