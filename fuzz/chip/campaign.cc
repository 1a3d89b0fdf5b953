// Any bytes as a campaign file.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "lab/chip/campaign_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    lento::chip::parse_campaign(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  } catch (const lento::base::Error&) {
  }
  return 0;
}
