// Any bytes as records of data movement (NoC events, profile log, table, Lento's own format) and as a
// topology.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "chip/read/transfer_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  using namespace lento;
  try {
    base::ReadReport report;
    const chip::TransferTrace all = chip::parse_transfers(text, "fuzz_dev2_", {}, report);
    chip::count(all);
    chip::groups_of(all);
    chip::measured_cycles(all);
    base::ReadReport again;
    const std::string printed = chip::print_transfers(all);
    const chip::TransferTrace back = chip::parse_transfers(printed, "again", {}, again);
    if (again.skipped > 0 || chip::count(back).events != chip::count(all).events)
      __builtin_trap();
  } catch (const base::Error&) {
  }
  try {
    chip::TransferTrace trace;
    chip::parse_topology(text, "topology", trace);
  } catch (const base::Error&) {
  }
  return 0;
}
