// Any bytes as the state of an interrupted diagnosis, with the check sum that they need.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/compress.h"
#include "base/error.h"
#include "memory/mine/checkpoint.h"
#include "program/address_space.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento::memory;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  lento::base::append_little(bytes, lento::base::crc32(bytes));
  PassMark mark;
  Scan scan;
  const lento::program::AddressSpace nobody;
  Functions functions(nobody);
  try {
    if (unpack_pass(bytes, "fuzz", "key", {mark, scan, functions}))
      pack_pass("key", mark, scan, functions);
  } catch (const lento::base::Error&) {
  }
  return 0;
}
