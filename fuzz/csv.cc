// Any bytes as a comma-separated table.
#include "base/scan/csv.h"

#include <cstddef>
#include <cstdint>

#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  try {
    lento::base::ReadReport report;
    lento::base::CsvReader in(file.fill(data, size), report);
    while (in.next()) {
      lento::base::csv_line(in.row());
      lento::base::json_line(in.columns(), in.row());
    }
  } catch (const lento::base::Error&) {
  }
  return 0;
}
