// Any bytes as an access trace file: index, chunk headers, chunks.
#include "trace/access_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int fd = memfd_create("fuzz", 0);
  if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != static_cast<ssize_t>(size)) return 0;
  try {
    lento::base::ReadReport report;
    const lento::trace::AccessFile file("/proc/self/fd/" + std::to_string(fd), report);
    lento::trace::AccessFileSource source(file, report);
    while (!source.next().empty()) {
    }
  } catch (const lento::base::Error&) {
  }
  return 0;
}
