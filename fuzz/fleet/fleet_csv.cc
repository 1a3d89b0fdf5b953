// Feeds the table reader of fleet metrics with any bytes.
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
    lento::fleet::CsvOptions options;
    options.paths = {path};
    if (size % 2 == 0)  // else all columns are guessed
      options.machine_column = "m";
    options.grid.max_values = 1 << 20;
    lento::fleet::read_csv(options, report);
  } catch (const lento::base::Error&) {
  }
  return 0;
}
