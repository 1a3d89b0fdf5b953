// Any bytes as a fault file.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "chip/map/faults.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto faults =
        lento::chip::parse_faults(std::string(reinterpret_cast<const char*>(data), size), "fuzz", {});
    lento::chip::parse_faults(lento::chip::write_faults(faults), "again", {});
    lento::chip::applicable(faults);
    lento::chip::require_reached(faults, uint64_t{1} << 40, "fuzz");
    lento::chip::require_present(faults, "fuzz");
    for (const auto& fault : faults) {
      fault.at(fault.begin);
      fault.at(fault.end);
    }
  } catch (const lento::base::Error&) {
  }
  return 0;
}
