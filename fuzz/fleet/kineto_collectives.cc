// The readers of collective telemetry on any bytes: whichever layout they resemble, and each by force.
#include "fleet/ranks/read/kineto_collectives.h"

#include <unistd.h>

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "fleet/ranks/ranks.h"
#include "fleet/ranks/read/collective_files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path = "/tmp/fuzz_kineto_collectives." + std::to_string(getpid());
  lento::base::write_file(path, {reinterpret_cast<const char*>(data), size});
  lento::base::ReadReport report;
  try {
    const auto trace = lento::fleet::ranks::read_kineto_collectives(path, report);
    lento::fleet::diagnose_ranks({trace, trace}, {});
  } catch (const lento::base::Error&) {
  }
  return 0;
}
