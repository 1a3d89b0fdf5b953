// The data that each core holds during an exchange between cores. Internal to stages.cc.
//
// Core c of 2^n is at c in its order, and c with bit b flipped is its mirror image across the middle of their
// block of 2^(b+1) (BlockOrder). Let S(c) be the part of a source that c holds and D(c) the part that it
// needs. With stages from the highest bit in which a holder and a needer differ:
//
//   N_b(c) = union of the needs of all cores that differ from c below bit b only
//   H_b(c) = (H_b+1(c) and the part of its image at bit b) within N_b(c),   H(c) = S(c) at first
//
// In the end H(c) holds D(c). Sums go the other way, from the lowest bit: after bit b core c has the sum over
// all that differ from it up to bit b, for the needs of all cores that do not.
//
// Parts are placed so that images hold neighbouring shares (Choices::placements), and H is one slice nearly
// always.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "chip/map/mapping.h"

namespace lento::chip {

using Slices = std::vector<Slice>;
using ByCore = std::vector<Slices>;  // by position in the order of cores

// Adds a slice and joins it with adjacent ones.
void add(Slices& slices, Slice fresh);

// Returns the bits in which the positions of holders and needers differ. 0 when stages are not worthwhile.
size_t stages_worth(const ByCore& have, const ByCore& need);

// Returns the bits in the order of exchange, highest first. `swapped` exchanges bits in pairs: halvings
// alternate between columns and rows, so an exchange in each order at the same time uses all links.
std::vector<size_t> order_of_bits(size_t bits, bool swapped);

// Returns the slices of every core after each stage. Empty when a core would have too many slices. `bits`
// are in the order of the exchange.
std::vector<ByCore> plan_stages(const ByCore& have, const ByCore& need, const std::vector<size_t>& bits);

// Returns the slices of which every core has a sum after each stage. The last stage, which equals `need`,
// comes first. Empty when a core would have too many slices. Bits count the positions in a group of `group`
// cores, and the lowest is exchanged first.
std::vector<ByCore> plan_sums(const ByCore& need, size_t group);

// Returns two halves along an axis along which no core's share is cut, or nothing when there is no such axis.
std::optional<std::array<Slice, 2>> halved(const ByCore& have, const ByCore& need);

ByCore within(const ByCore& all, const Slice& part);

}  // namespace lento::chip
