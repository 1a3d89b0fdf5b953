// Any bytes as the columns of a chunk of access records. The first byte is the number of events to expect.
#include "memory/read/access_codec.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  std::vector<lento::memory::AccessRecord> records;
  lento::memory::decode_accesses({reinterpret_cast<const char*>(data) + 1, size - 1}, data[0], records);
  return 0;
}
