// Returns freed memory to the system. Only glibc offers a call for it, other C libraries do it themselves.
#include "base/heap.h"

#include <cstdlib>  // names the C library

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace lento::base {

void return_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace lento::base
