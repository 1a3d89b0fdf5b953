// The network that tests of whole chips run.
#pragma once

#include <string>

#include "base/file.h"
#include "chip/make_mapping.h"
#include "chip/map/file/map_file.h"

namespace lento::chip::test {

// Maps DarkNet-19 at batch 16 to the chip of a file and writes the mapping.
inline void map_darknet(const std::string& chip, const std::string& map) {
  ChipMappingOptions options;
  options.model = "examples/models/darknet19.onnx";
  options.chip = chip;
  options.batch = 16;
  base::write_file(map, write_map(map_network(options, map, {}).mapping));
}

}  // namespace lento::chip::test
