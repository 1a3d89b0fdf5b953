// Limits the memory of the process and keeps the name of the current input, so that the error at the limit
// names the file that needed the memory.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace lento::base {

// Keeps the name of the input that was opened last.
void note_reading(const std::string& path);
std::string reading();

// Limits the data of this process to `bytes` (0: no limit) and returns the former limit. An allocation beyond
// it throws std::bad_alloc. There is no effect under a sanitizer, whose shadow memory exceeds any sensible
// limit.
uint64_t set_memory_limit(uint64_t bytes);

// Composes "FILE: error: does not fit into the memory limit of 4 GiB" with a hint.
Error out_of_memory(const std::string& path);

}  // namespace lento::base
