// Any text as a perf map, and as a list of mappings.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "program/address_space.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  program::AddressSpace names;
  try {
    names.read_perf_map(text, 0, "fuzz");
    (void)names.function_at(0, 0x1000);
  } catch (const base::Error&) {
  }
  return 0;
}
