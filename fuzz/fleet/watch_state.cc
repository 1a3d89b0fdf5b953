// Any bytes as what a watch learned of a job, given to a detector of four machines.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/json.h"
#include "fleet/detect/detect.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento;
  try {
    const base::Json state = base::parse_json({reinterpret_cast<const char*>(data), size}, "fuzz");
    fleet::Fleet fleet;
    fleet.machines = {"a", "b", "c", "d"};
    fleet.metrics = {"step_time_s"};
    fleet::Detector detector(fleet, {});
    detector.restore(state);
    base::write_json(detector.save());
  } catch (const base::Error&) {
  }
  return 0;
}
