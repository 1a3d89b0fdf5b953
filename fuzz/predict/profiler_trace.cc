// Any bytes as a PyTorch profiler trace, compared with its prediction on one system.
#include <cstddef>
#include <cstdint>
#include <string>

#include "predict/time/trace/compare_run.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const lento::predict::System system = lento::predict::read_system("h100");
  try {
    lento::base::ReadReport report;
    const std::string text(reinterpret_cast<const char*>(data), size);
    lento::predict::compare_run(system, lento::predict::parse_profiler_trace(text, "fuzz", report), {});
  } catch (const lento::base::Error&) {
  }
  return 0;
}
