// Any bytes as machine code: an instruction that was decoded lies within them.
#include "program/x86_code.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (size_t at = 0; at < size;) {
    const auto instruction = lento::program::decode_x86({data + at, size - at}, at);
    if (!instruction)
      break;
    if (instruction->length == 0 || instruction->length > size - at)
      std::abort();
    at += instruction->length;
  }
  return 0;
}
