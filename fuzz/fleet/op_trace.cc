// Any bytes as a table of operations.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "fleet/read/source.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  lento::base::ReadReport report;
  try {
    lento::fleet::read_op_trace(file.fill(data, size), report);
  } catch (const lento::base::Error&) {
  }
  return 0;
}
