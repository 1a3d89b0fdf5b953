// Memory that a program has freed but still holds.
#pragma once

namespace lento::base {

// Gives it back to the system, where that is possible. For programs that live long, after something large:
// the allocator keeps what lies between pieces that are still in use.
void return_free_memory();

}  // namespace lento::base
