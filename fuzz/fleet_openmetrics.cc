// The openmetrics reader of fleet metrics on any bytes.
#include <unistd.h>

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "fleet/source/source.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path = "/tmp/fuzz_fleet_openmetrics." + std::to_string(getpid());
  lento::base::write_file(path, {reinterpret_cast<const char*>(data), size});
  lento::base::ReadReport report;
  try {
    lento::fleet::OpenMetricsOptions options;
    options.path = path;
    options.grid.max_values = 1 << 20;
    lento::fleet::read_openmetrics(options, report);
  } catch (const lento::base::Error&) {
  }
  return 0;
}
