// Any bytes as the columns of a chunk of access records. The first byte is the number of events to expect.
// Decoded records must survive being encoded and decoded again.
#include "memory/read/access_codec.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento::memory;
  if (size == 0)
    return 0;
  std::vector<AccessRecord> records;
  if (!decode_accesses({reinterpret_cast<const char*>(data) + 1, size - 1}, data[0], records))
    return 0;
  sort_by_cycle(records);
  std::vector<AccessRecord> again;
  if (!decode_accesses(encode_accesses(records), records.size(), again) || again != records)
    std::abort();
  return 0;
}
