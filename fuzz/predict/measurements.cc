// Any bytes as a table of measurements.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "memory_file.h"
#include "predict/time/calibrate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  lento::base::ReadReport report;
  try {
    lento::predict::read_measurements(file.fill(data, size), report);
  } catch (const lento::base::Error&) {
  }
  return 0;
}
