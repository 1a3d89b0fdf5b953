// Any bytes as an access trace file: index, chunk headers, chunks.
#include "memory/read/access_file.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile held;
  try {
    lento::base::ReadReport report;
    const lento::memory::AccessFile file(held.fill(data, size), report);
    lento::memory::AccessFileSource source(file, report);
    while (!source.next().empty()) {
    }
  } catch (const lento::base::Error&) {
  }
  return 0;
}
