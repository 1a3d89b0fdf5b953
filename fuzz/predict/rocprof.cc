// Any bytes as a table of rocprof, compared with a prediction.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "memory_file.h"
#include "predict/time/trace/compare_run.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const lento::predict::System system = lento::predict::read_system("h100");
  static MemoryFile file;
  lento::base::ReadReport report;
  try {
    lento::predict::compare_run(system, lento::predict::read_rocprof(file.fill(data, size), report), {});
  } catch (const lento::base::Error&) {
  }
  return 0;
}
