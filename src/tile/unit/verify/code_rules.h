// Rules that hold for the code alone, whatever its data (rule 1 of verify.h). Throws Violation.
#pragma once

#include "tile/unit/verify/explorer.h"

namespace lento::tile {

// Requires that hardware loops nest properly and hold no control flow, and that no branch jumps between their
// first and last word. Sets Program::in_body.
void check_loops(Program& program);

// Returns each constant of the program's instructions and its negative, both with their neighbours c - 1 and
// c + 1, and the largest values of a byte, a half word and a signed word, ascending. KnownWords::widen()
// extends the intervals of memory words to these.
std::vector<uint32_t> constants_of(const std::vector<TileOp>& code);

// Rejects a program whose region `finish` is missing or has no jump within its 16 instructions.
void check_finish(const Image& image, const std::vector<TileOp>& code);

}  // namespace lento::tile
