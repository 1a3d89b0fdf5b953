// Any bytes as a page of metrics: read by the readers of that family alone, and judged.
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "desk/incident/incident.h"
#include "desk/metrics/metrics.h"
#include "desk/read/log_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const lento::desk::LogReader reader(lento::desk::metrics_formats());
  lento::desk::Records records;
  try {
    reader.read_text({reinterpret_cast<const char*>(data), size}, "input", records);
    lento::desk::judge_incident(records);
  } catch (const lento::base::Error&) {
  }
  return 0;
}
