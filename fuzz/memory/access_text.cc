// Any line as an access record: an accepted one must survive being written and read again.
#include "memory/read/access_text.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lento::memory::AccessRecord record;
  lento::memory::AccessRecord again;
  if (!lento::memory::parse_access_text({reinterpret_cast<const char*>(data), size}, record))
    return 0;
  std::string text;
  lento::memory::append_access_text(record, text);
  if (!lento::memory::parse_access_text({text.data(), text.size() - 1}, again) || !(again == record))
    std::abort();
  return 0;
}
