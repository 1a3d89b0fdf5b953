// Any bytes as a fault file.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "chip/map/faults.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    for (const auto& fault :
         lento::chip::parse_faults(std::string(reinterpret_cast<const char*>(data), size), "fuzz", {})) {
      fault.at(fault.begin);
      fault.at(fault.end);
    }
  } catch (const lento::base::Error&) {
  }
  return 0;
}
