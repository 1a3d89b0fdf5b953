// Any bytes as a trace of PyTorch's profiler, and the inference over two ranks that wrote it.
#include "fleet/ranks/read/kineto_collectives.h"

#include "base/error.h"
#include "fleet/ranks/ranks.h"
#include "fleet/ranks/read/collective_files.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static NamedFile file;
  lento::base::ReadReport report;
  try {
    const auto trace = lento::fleet::ranks::read_kineto_collectives(file.fill(data, size), report);
    lento::fleet::diagnose_ranks({trace, trace}, {});
  } catch (const lento::base::Error&) {
  }
  try {  // by the door of all layouts, which recognises them
    lento::fleet::ranks::name(lento::fleet::ranks::recognise_collectives(file.path()));
    lento::fleet::ranks::read_collective_files({file.path()}, report);
  } catch (const lento::base::Error&) {
  }
  return 0;
}
