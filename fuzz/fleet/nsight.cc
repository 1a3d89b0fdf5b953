// SQLite databases of any bytes as Nsight profiles, and the inference over them.
#include "fleet/ranks/read/nsight.h"

#include <unistd.h>

#include <cstdint>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "fleet/ranks/ranks.h"

namespace {

// SQLite follows links to the name of a file, and a file in memory has none. This one lies in a file system
// in memory and goes with the program.
struct NamedFile {
  std::string path = "/dev/shm/fuzz_nsight." + std::to_string(getpid());
  ~NamedFile() {
    std::error_code none;
    std::filesystem::remove(path, none);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const NamedFile file;
  lento::base::ReadReport report;
  try {
    lento::base::write_file(file.path, {reinterpret_cast<const char*>(data), size});
    const lento::fleet::ranks::NsightTrace trace = lento::fleet::ranks::read_nsight(file.path, report);
    lento::fleet::diagnose_ranks(lento::fleet::ranks::nsight_collectives(trace), {});
  } catch (const lento::base::Error&) {
  }
  return 0;
}
