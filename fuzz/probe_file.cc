// Any bytes as a probe-record file.
#include "trace/probe_file.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path = "/tmp/lento_fuzz_probe." + std::to_string(getpid());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    lento::base::ReadReport report;
    lento::trace::ProbeReader reader(path, report);
    lento::trace::ProbeRecord record;
    while (reader.next(record)) {
    }
  } catch (const lento::base::Error&) {
  }
  return 0;
}
