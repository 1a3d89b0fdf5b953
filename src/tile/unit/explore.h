// Abstract execution of one region of an image: every path, on intervals and known bits. The core of the
// verifier.
#pragma once

#include <string>
#include <vector>

#include "tile/unit/isa.h"
#include "tile/unit/verify.h"

namespace lento::tile {

std::string hex(uint32_t value);
[[noreturn]] void reject(Rule rule, uint32_t pc, const std::string& text);  // throws Violation

// `meets`: for each instruction where the ways of its branch meet again (post_dominators). Throws the first
// Violation.
RegionReport explore(const Image& image, const std::vector<TileOp>& code, const std::vector<uint32_t>& meets,
                     uint32_t entry, bool registers_are_set);

}  // namespace lento::tile
