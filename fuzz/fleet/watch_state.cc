// Any bytes as the state that a watch saved, given to a scan of four machines that has seen rows.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "fleet/scan/scan.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento;
  try {
    const base::Json state = base::parse_json({reinterpret_cast<const char*>(data), size}, "fuzz");
    fleet::Scan scan({{"a", "b", "c", "d"}, {}, {"step_time_s"}, 15'000, 0}, {.budget = {1, 86400}});
    scan.join_members(state);
    const auto push = [&](int64_t rows) {
      for (int64_t t = 0; t < rows; ++t)
        scan.push(t * 15'000, std::vector<float>{1, 2 + float(t % 3), 3, 4});
    };
    push(40);
    scan.take_over(state);
    push(40);
    base::write_json(scan.save());
    scan.forget_resolved(INT64_MAX);
  } catch (const base::Error&) {
  }
  return 0;
}
