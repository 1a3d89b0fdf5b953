// Any bytes as records of data movement: NoC events, profile log, table, our own; and as a topology.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "trace/transfer_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  using namespace lento;
  try {
    base::ReadReport report;
    const trace::TransferTrace all = trace::parse_transfers(text, "fuzz_dev2_", {}, report);
    trace::count(all);
    base::ReadReport again;
    const std::string printed = trace::print_transfers(all);
    const trace::TransferTrace back = trace::parse_transfers(printed, "again", {}, again);
    if (again.skipped > 0 || trace::count(back).events != trace::count(all).events)
      __builtin_trap();
  } catch (const base::Error&) {
  }
  try {
    trace::TransferTrace trace;
    trace::parse_topology(text, "topology", trace);
  } catch (const base::Error&) {
  }
  return 0;
}
