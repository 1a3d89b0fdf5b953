// Any bytes as each kind of foreign access trace. The first byte chooses the kind, or that the bytes decide.
#include "memory/read/foreign.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const char* const kKinds[] =
      {"paper", "perf", "memaxes", "gem5", "drmemtrace", "lackey", "champsim", "perf.data", "c2c"};
  static MemoryFile file;
  if (size == 0)
    return 0;
  try {
    const std::string& path = file.fill(data + 1, size - 1);
    lento::base::ReadReport report;
    lento::program::TraceFacts facts;
    const std::string kind = data[0] % 10 < 9 ? kKinds[data[0] % 10] : lento::memory::recognise_foreign(path);
    const auto source = lento::memory::open_foreign(kind, path, "", report, &facts);
    while (!source->next().empty()) {
    }
  } catch (const lento::base::Error&) {
  }
  return 0;
}
