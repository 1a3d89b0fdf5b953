// Any bytes as an ELF program: an accepted one is executed for a few instructions.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "riscv/machine.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto image = lento::riscv::parse_elf({reinterpret_cast<const char*>(data), size}, "fuzz");
    lento::riscv::Machine machine;
    machine.load(image);
    machine.run(200);
  } catch (const lento::base::Error&) {
  }
  return 0;
}
