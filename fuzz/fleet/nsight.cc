// SQLite databases of any bytes as Nsight profiles, and the inference over them.
#include "fleet/ranks/read/nsight.h"

#include "base/error.h"
#include "fleet/ranks/ranks.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static NamedFile file;
  lento::base::ReadReport report;
  try {
    const auto trace = lento::fleet::ranks::read_nsight(file.fill(data, size), report);
    lento::fleet::diagnose_ranks(lento::fleet::ranks::nsight_collectives(trace), {});
  } catch (const lento::base::Error&) {
  }
  return 0;
}
