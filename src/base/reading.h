// Memory that an input asks for: its limit for the whole process, and which input it was when the limit is
// met.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace lento::base {

// The input opened last, named when memory ends while it is being worked on.
void note_reading(const std::string& path);
std::string reading();

// Data of this process stays below `bytes` (0: no limit of ours); what would exceed it throws std::bad_alloc.
// The limit set before is given back. No effect under a sanitizer, whose shadow memory is larger than any
// sensible limit.
uint64_t set_memory_limit(uint64_t bytes);

// "FILE: error: does not fit into the memory limit of 4 GiB", with the way out.
Error out_of_memory(const std::string& path);

}  // namespace lento::base
