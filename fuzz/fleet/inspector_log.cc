// Inspector lines of any bytes, and the inference over them.
#include "fleet/ranks/read/inspector_log.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "fleet/ranks/ranks.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lento::base::ReadReport report;
  lento::fleet::ranks::InspectorLines lines(report);
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.add(text.substr(0, end), {"fuzz", 1});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  try {
    const auto traces = lines.take();
    for (const auto& trace : traces)
      for (const auto& record : trace.records)
        lento::fleet::ranks::name(record.op);
    lento::fleet::diagnose_ranks(traces, {});
  } catch (const lento::base::Error&) {
  }
  return 0;
}
