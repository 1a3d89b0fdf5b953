// Any text as a chip file of version 2: an accepted one must have a route between all its tiles.
#include "chip/fabric/fabric.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const lento::spec::FabricSheet sheet =
        lento::spec::parse_fabric(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    if (sheet.chips * sheet.width * sheet.height > 400 || sheet.networks.size() > 3)
      return 0;
    const lento::chip::Fabric fabric(sheet);
    const int last = fabric.component_count() - 1;
    for (int n = 0; n < int(sheet.networks.size()); ++n) {
      fabric.route(n, 0, last);
      fabric.route(n, last, 0);
    }
  } catch (const lento::base::Error&) {
  }
  return 0;
}
