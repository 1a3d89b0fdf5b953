// Checks whether the program that the user named is the one that was traced.
//
// Evidence in this order, each final: the digest of the program in the trace, the build ids of its mappings,
// and where neither exists, the addresses themselves. Code must lie in executable sections, and where
// instructions can be decoded (RISC-V), they must make the accesses of the trace.
#pragma once

#include <string>
#include <vector>

#include "memory/read/access_record.h"
#include "program/address_space.h"

namespace lento::memory {

// Returns `program` with the load address at which it agrees with a trace that has no mappings: as it is
// linked, or where Valgrind or a debugger loads position-independent programs. Unchanged where none of them
// agrees.
std::string with_load_address(const std::string& program, AccessSource& source);

// Throws base::Error when a program is not the traced one. Returns one note for each program that only
// addresses identify. Reads at least 65,536 records of `source`, and more until one has a name.
std::vector<std::string> check_programs(const program::TraceFacts& facts, AccessSource& source);

}  // namespace lento::memory
