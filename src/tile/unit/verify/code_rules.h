// Rules that hold for the code alone, whatever its data (rule 1 of verify.h). Throws Violation.
#pragma once

#include "tile/unit/verify/explorer.h"

namespace lento::tile {

// Sets Program::in_body. Rejects the program when hardware loops nest more than two deep, when an inner one
// does not end before the outer one, when a body leaves the code or holds a branch or jump, or when a branch
// or jump enters a body.
void check_loops(Program& program);

// Returns the constants of addi, andi, lui (with a following addi), slti and sltiu in the program, and their
// negatives, all with their neighbours c - 1 and c + 1, and the largest values of an unsigned byte, an
// unsigned half word and a signed word. They are ascending. widened() (verify.cc) extends the intervals of
// cells to these.
std::vector<uint32_t> constants_of(const std::vector<TileOp>& code);

// Rejects a program whose region `finish` is missing or has no jump, call or return in its 16 instructions.
void check_finish(const Image& image, const std::vector<TileOp>& code);

}  // namespace lento::tile
