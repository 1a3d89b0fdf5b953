// Frames and XOR chunks of a Prometheus remote read on any bytes.
#include <cstdint>
#include <string_view>

#include "fleet/read/chunks.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  double sum = 0;
  lento::fleet::read_xor_chunk(bytes, [&](int64_t t, double v) {
    sum += double(t) + v;
  });
  lento::fleet::read_frames(bytes, [&](std::string_view payload) {
    sum += double(payload.size());
  });
  return 0;
}
