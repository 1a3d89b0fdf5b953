// Any bytes as a sketch file. Bytes after the checksum check get in too: it is made right first.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "chip/sketch/sketch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  for (const std::string& bytes : {body, lento::chip::with_checksum(body)}) {
    try {
      const lento::chip::Sketch sketch = lento::chip::decode_sketch(bytes, "fuzz");
      for (const auto& core : sketch.cores())
        core.entries();
      lento::chip::decode_sketch(lento::chip::encode_sketch(sketch), "again");
    } catch (const lento::base::Error&) {
    }
  }
  return 0;
}
