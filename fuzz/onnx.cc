// Any bytes as an ONNX model: read, lower to layers, map onto a small chip.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "chip/map/file/map_file.h"
#include "chip/map/plan/mapper.h"
#include "spec/network.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    lento::base::ReadReport report;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    const auto graph = lento::chip::lower(lento::spec::parse_onnx(bytes, "fuzz", {}, report), "fuzz");
    if (graph.layers.size() > 16)
      return 0;
    lento::spec::Chip chip;
    chip.width = chip.height = 2;
    lento::chip::write_map(lento::chip::map_network(graph, chip, {2}, "fuzz"));
  } catch (const lento::base::Error&) {
  }
  return 0;
}
