// Feeds the table reader of fleet metrics with any bytes.
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/scan/csv.h"
#include "fleet/read/source.h"
#include "fleet/read/table_layout.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  const std::string& path = file.fill(data, size);
  lento::base::ReadReport report;
  try {
    lento::base::CsvReader in(path, report);
    lento::fleet::TableRows rows;
    while (rows.size() < 64 && in.next())
      rows.push_back(in.row());
    const auto layout = lento::fleet::guess_layout(in.columns(), rows, {}, "fuzz", {path});
    lento::fleet::options_of(layout, in.columns());
    lento::fleet::describe(layout, in.columns());
  } catch (const lento::base::Error&) {
  }
  for (const char* machine : {"", "m"}) {  // "": all columns are guessed
    try {
      lento::fleet::CsvOptions options;
      options.paths = {path};
      options.machine_column = machine;
      options.grid.max_values = 1 << 20;
      lento::fleet::read_csv(options, report);
    } catch (const lento::base::Error&) {
    }
  }
  return 0;
}
