// Any bytes as a data sheet.
#include "predict/hardware/system.h"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    lento::predict::parse_system(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  } catch (const lento::base::Error&) {
  }
  return 0;
}
