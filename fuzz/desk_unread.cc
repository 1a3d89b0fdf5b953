// Any bytes as a file that no part of Lento reads: recognised by content, looked at for labels, and judged by
// the numbers that it holds.
#include <cstdint>

#include "base/error.h"
#include "desk/diagnose.h"
#include "desk/unread.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  const std::string& path = file.fill(data, size);
  try {
    lento::desk::reads(path);
    lento::desk::labels_in(path);
    lento::desk::verdict_on_unread({lento::desk::recognise(path)}, "more of them");
  } catch (const lento::base::Error&) {
  }
  return 0;
}
