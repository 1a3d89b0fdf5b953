// Any bytes as the JSON answer of a Prometheus store.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "fleet/read/prometheus.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento;
  fleet::PrometheusOptions options;
  options.url = "http://fuzz";
  options.metrics = {fleet::parse_metric("up")};
  options.grid.max_values = 1 << 20;
  base::ReadReport report;
  try {
    fleet::parse_query_answer({reinterpret_cast<const char*>(data), size}, options, report);
  } catch (const base::Error&) {
  }
  return 0;
}
