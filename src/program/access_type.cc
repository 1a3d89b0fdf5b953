// Names of the kinds of memory access, as text traces and reports print them.
#include "program/access_type.h"

namespace lento::program {

const char* to_string(AccessType type) {
  static constexpr const char* kNames[kAccessTypes] =
      {"fetch", "load", "store", "ll", "sc", "atomic", "prefetch"};
  return kNames[int(type)];
}

}  // namespace lento::program
