// Any bytes as a comma-separated table.
#include "base/csv.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path = "/tmp/lento_fuzz_csv." + std::to_string(getpid());
  try {
    lento::base::write_file(path, {reinterpret_cast<const char*>(data), size});
    lento::base::ReadReport report;
    lento::base::CsvReader in(path, report);
    while (in.next()) lento::base::csv_line(in.row());
  } catch (const lento::base::Error&) {
  }
  return 0;
}
