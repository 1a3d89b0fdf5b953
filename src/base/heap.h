// Returns freed memory to the system.
#pragma once

namespace lento::base {

// Returns freed memory to the system where the C library can do so. A long-lived program calls it after a
// large piece of work, because the allocator keeps freed blocks that lie between blocks in use.
void return_free_memory();

}  // namespace lento::base
