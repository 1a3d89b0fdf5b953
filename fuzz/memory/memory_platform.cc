// Any bytes as a platform: an accepted one must be able to run.
#include <cstddef>
#include <cstdint>
#include <string>

#include "memory/platform/platform.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto platform = lento::memory::parse_platform(
        lento::spec::parse_yaml(std::string(reinterpret_cast<const char*>(data), size), "fuzz"));
    lento::riscv::ElfImage image;
    image.entry = platform.memory_base;
    image.segments.push_back(
        {platform.memory_base, 64, true, true, std::string("\x73\x00\x50\x10", 4)});  // wfi
    lento::memory::simulate(image, platform);
  } catch (const lento::base::Error&) {
  }
  return 0;
}
