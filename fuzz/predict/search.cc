// Any bytes as a search space over a fixed design, and any bytes as the design itself.
#include "predict/search/search.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "memory_file.h"
#include "predict/search/data_sheet.h"

namespace {

using namespace lento;

std::string folder_with_design() {
  const std::string folder = "/tmp/lento_fuzz_search." + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  predict::CrossFlowConfig c;
  c.model = {64, 1000, 64, 4, 0, 2, 4};
  c.core.area_per_mcu = c.core.operating_area_per_mcu = c.dram.area_per_stack = c.dram.controller_area = 1;
  for (predict::SramTechnology& s : c.sram)
    s.energy_per_bit = s.area_per_bit = s.bank_capacity = 1;
  c.intra.area_per_link = c.inter.area_per_link = 1;
  c.budgets.chip_area = 100;
  base::write_file(folder + "/node.yaml", predict::write_crossflow(c));
  return folder;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string folder = folder_with_design();
  static MemoryFile design;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    base::write_file(folder + "/space.yaml", text);
    predict::read_search_space(folder + "/space.yaml");
  } catch (const base::Error&) {
  }
  try {
    predict::data_sheet(predict::read_crossflow(design.fill(data, size)));
  } catch (const base::Error&) {
  }
  return 0;
}
