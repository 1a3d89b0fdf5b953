// Any text as a report of perf c2c: shares stay within their bounds.
#include "memory/read/c2c_report.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento;
  base::ReadReport report;
  try {
    const memory::C2cReport read =
        memory::parse_c2c_report({reinterpret_cast<const char*>(data), size}, "fuzz", report);
    for (const memory::C2cLine& line : read.lines) {
      for (const memory::C2cUse& use : line.uses) {
        if (!(use.local >= 0 && use.local <= 1 && use.stores >= 0 && use.stores <= 1))
          std::abort();
      }
    }
  } catch (const base::Error&) {
  }
  return 0;
}
