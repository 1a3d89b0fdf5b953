// Is the program that the user named the one that was traced?
//
// Asked in this order, each answer final: the digest that the trace keeps of its program; build ids of its
// mappings; where neither is there, the addresses themselves: code must lie in executable sections, and where
// instructions can be read (RISC-V) they must make the accesses that the trace tells of.
#pragma once

#include <string>
#include <vector>

#include "trace/access_record.h"
#include "trace/address_space.h"

namespace lento::jobs {

// Throws base::Error when a program is not the traced one. What remains a belief is told in the result: one
// note for each program that nothing but addresses speaks for. Reads 65,536 records of `source`.
std::vector<std::string> check_programs(const trace::TraceFacts& facts, trace::AccessSource& source);

}  // namespace lento::jobs
