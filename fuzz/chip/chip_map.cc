// Any bytes as a mapping: an accepted one is expanded in both ways and simulated for a while.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "chip/map/file/map_file.h"
#include "chip/map/file/released.h"
#include "chip/sim/simulate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento;
  try {
    const chip::Mapping mapping =
        chip::parse_map(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    const spec::Chip chip;
    if (mapping.batch > 64)
      return 0;
    const chip::Program program = chip::expand(mapping, chip, "fuzz");
    chip::Options options;
    options.max_cycles = 1000000;
    chip::simulate(chip::Model(chip, program), {}, options);
    for (const chip::MappedLayer& layer : mapping.layers) {
      if (int64_t{layer.fetch[0]} * layer.fetch[1] * layer.fetch[2] * layer.fetch[3] > 64)
        return 0;
    }
    chip::expand_released(mapping, chip, "fuzz");
  } catch (const base::Error&) {
  }
  return 0;
}
