// The reader of saved answers of Prometheus on any bytes.
#include <cstdint>
#include <string>

#include "base/error.h"
#include "fleet/read/source.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  const std::string& path = file.fill(data, size);
  lento::base::ReadReport report;
  try {
    lento::fleet::RangeOptions options;
    options.paths = {path};
    options.grid.max_values = 1 << 20;
    lento::fleet::read_range_answers(options, report);
  } catch (const lento::base::Error&) {
  }
  return 0;
}
