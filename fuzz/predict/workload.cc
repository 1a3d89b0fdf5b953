// Any bytes as a workload: YAML, or JSON as a config.json.
#include "predict/time/workload.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "predict/time/explain.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const lento::predict::System system = lento::predict::read_system("h100");
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    lento::predict::explain(system, lento::predict::parse_workload(text, "fuzz", {}));
  } catch (const lento::base::Error&) {
  }
  return 0;
}
