// Answers of NCCL's own monitor of any bytes, two in a row, and what is concluded from them.
#include "fleet/ranks/read/ras_answer.h"

#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "fleet/ranks/ranks.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  try {
    lento::base::ReadReport report;
    const auto answer = lento::fleet::ranks::read_ras_answer(file.fill(data, size), report);
    lento::fleet::diagnose_hang({}, {answer, answer});
  } catch (const lento::base::Error&) {
  }
  return 0;
}
