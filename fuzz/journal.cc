// Any bytes as the journal of a campaign: read, cut where a line is broken off, and gone on from.
#include "campaign/journal.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  try {
    lento::campaign::Journal(file.fill(data, size), "squares 1").append(7, "49");
    if (!lento::campaign::Journal(file.path(), "squares 1").done().contains(7))
      std::abort();
  } catch (const lento::base::Error&) {
  }
  return 0;
}
