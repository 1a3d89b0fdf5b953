// The kinds of memory access that an instruction makes.
#pragma once

#include <cstdint>

namespace lento::program {

enum class AccessType : uint8_t {
  Fetch = 0,  // the address equals the pc
  Load = 1,
  Store = 2,
  LoadLinked = 3,        // lr.w, ll
  StoreConditional = 4,  // sc.w, sc
  Atomic = 5,            // read-modify-write in one access: amo, x86 lock prefix
  Prefetch = 6,
};
inline constexpr int kAccessTypes = 7;

// Returns "fetch", "load", "store", "ll", "sc", "atomic" or "prefetch".
const char* to_string(AccessType type);

}  // namespace lento::program
