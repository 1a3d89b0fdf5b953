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

// Adds a slice to a list, joined with those that are adjacent to it.
void add(Slices& slices, Slice fresh);

// Returns a mask of the bits in which the positions (in the order of cores) of a core that holds data and a
// core that needs it differ. Each bit is one stage of the exchange. 0 when stages do not save enough messages
// (kMessagesAStage).
size_t stages_worth(const ByCore& have, const ByCore& need);

// Returns the single bits of the mask `bits` in the order of the stages, highest bit first. In the stage of a
// bit, every core exchanges with its mirror image in that bit. With `swapped`, the bits of each pair change
// places: the halvings of a chip alternate between columns and rows, so two exchanges at the same time, one
// in each order, use all links.
std::vector<size_t> order_of_bits(size_t bits, bool swapped);

// Returns by stage, in the order of `bits`, the slices that each core holds after it (H_b above). Empty when
// a core would have more than kMostSlices.
std::vector<ByCore> plan_stages(const ByCore& have, const ByCore& need, const std::vector<size_t>& bits);

// Returns by stage the slices of which each core has the sum after it. The last stage comes first, and its
// slices equal `need`. Empty when a core would have more than kMostSlices. Positions are those in a group of
// `group` cores, a power of two, and images in the lowest bit exchange first.
std::vector<ByCore> plan_sums(const ByCore& need, size_t group);

// Returns two halves of the data along an axis along which no slice of any core is cut, or nothing when there
// is no such axis.
std::optional<std::array<Slice, 2>> halved(const ByCore& have, const ByCore& need);

ByCore within(const ByCore& all, const Slice& part);

}  // namespace lento::chip
