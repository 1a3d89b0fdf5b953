// Is the program that the user named the one that was traced?
//
// Asked in this order, each answer final: the digest that the trace keeps of its program; build ids of its
// mappings; where neither is there, the addresses themselves: code must lie in executable sections, and where
// instructions can be read (RISC-V) they must make the accesses that the trace tells of.
#pragma once

#include <string>
#include <vector>

#include "memory/read/access_record.h"
#include "program/address_space.h"

namespace lento::memory {

// Throws base::Error when a program is not the traced one. What remains a belief is told in the result: one
// note for each program that nothing but addresses speaks for. Reads 65,536 records of `source`.
std::vector<std::string> check_programs(const program::TraceFacts& facts, AccessSource& source);

}  // namespace lento::memory
