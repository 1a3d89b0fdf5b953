// Any bytes as a probe-record file.
#include "chip/read/probe_file.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  try {
    lento::base::ReadReport report;
    lento::chip::ProbeReader reader(file.fill(data, size), report);
    lento::chip::ProbeRecord record;
    while (reader.next(record)) {
    }
  } catch (const lento::base::Error&) {
  }
  return 0;
}
