// The Inspector's pages for Prometheus of any bytes, and what is concluded from their means.
#include "fleet/ranks/read/inspector_prom.h"

#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "fleet/ranks/ranks.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  try {
    lento::base::ReadReport report;
    lento::fleet::diagnose_means(lento::fleet::ranks::read_inspector_prom(file.fill(data, size), report));
  } catch (const lento::base::Error&) {
  }
  return 0;
}
