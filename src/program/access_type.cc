// Names the kinds of memory access for text traces and reports.
#include "program/access_type.h"

namespace lento::program {

const char* to_string(AccessType type) {
  static constexpr const char* kNames[kAccessTypes] =
      {"fetch", "load", "store", "ll", "sc", "atomic", "prefetch"};
  return kNames[int(type)];
}

}  // namespace lento::program
