// Any bytes as a chip and as a probe plan.
#include "spec/chip.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "chip/map/probe_plan.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    lento::spec::parse_chip(text, "fuzz");
  } catch (const lento::base::Error&) {
  }
  try {
    lento::chip::parse_plan(text, "fuzz");
  } catch (const lento::base::Error&) {
  }
  return 0;
}
