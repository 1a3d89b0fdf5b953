// Tables of machine names of any bytes, and the names that follow for hosts, addresses and pods.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "fleet/read/metric_names.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  try {
    lento::fleet::MachineNames names;
    names.read(file.fill(data, size));
    names.of("node1.cluster.local:9100");
    names.of(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const lento::base::Error&) {
  }
  return 0;
}
