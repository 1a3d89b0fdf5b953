// Any bytes as a jitdump: each function in it must be found again by its address, or not at all.
#include "program/jitdump.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento;
  program::AddressSpace names;
  try {
    program::read_jitdump({reinterpret_cast<const char*>(data), size}, 0, "fuzz", names);
    (void)names.function_at(0, 0x1000);
    (void)names.frames(0, 0x1000);
  } catch (const base::Error&) {
  }
  return 0;
}
