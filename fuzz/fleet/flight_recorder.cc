// Dumps of any bytes, pickle or JSON, and the hang analysis over them.
#include "fleet/ranks/read/flight_recorder.h"

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "fleet/ranks/ranks.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lento::base::ReadReport report;
  try {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    lento::fleet::diagnose_hang({lento::fleet::ranks::parse_flight_recorder(bytes, "dump_3", report)}, {});
  } catch (const lento::base::Error&) {
  }
  return 0;
}
