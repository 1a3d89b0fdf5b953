// Maps the last two names of a value in amd-smi's trees to a field. A throttling status becomes a reason for
// a low clock.
//
// Source: amd-smi metric of ROCm 6.0 to 7.0, names of its output.
#include "desk/nvidia/amd_fields.h"

namespace lento::desk {
namespace {

struct AmdLeaf {
  std::string_view section;  // "" for any
  std::string_view name;
  const char* field;
};

const AmdLeaf kLeaves[] = {
    {"", "GFX_ACTIVITY", "utilization.gpu"},
    {"", "SOCKET_POWER", "power.draw"},
    {"", "POWER_USAGE", "power.draw"},
    {"TEMPERATURE", "HOTSPOT", "temperature.gpu"},
    {"", "HOTSPOT_TEMPERATURE", "temperature.gpu"},
    {"GFX_0", "CLK", "clocks.current.sm"},
    {"", "GFX_CLK", "clocks.current.sm"},
    {"", "GFX_CLOCK", "clocks.current.sm"},
    {"MEM_0", "CLK", "clocks.current.memory"},
    {"", "MEM_CLOCK", "clocks.current.memory"},
    {"ECC", "TOTAL_UNCORRECTABLE_COUNT", "ecc.errors.uncorrected.volatile.total"},
    {"ECC", "TOTAL_CORRECTABLE_COUNT", "ecc.errors.corrected.volatile.total"},
    {"PCIE", "WIDTH", "pcie.link.width.current"},
    {"PCIE", "MAX_WIDTH", "pcie.link.width.max"},
    {"ASIC", "MARKET_NAME", "name"},
};

struct Throttle {
  std::string_view name;  // name of a throttling status
  const char* reason;     // name after "clocks_event_reasons."
};
const Throttle kThrottles[] = {
    {"THROTTLE_STATUS", "throttled"},
    {"SOCKET_THERMAL_VIOLATION_STATUS", "hw_thermal_slowdown"},
    {"VR_THERMAL_VIOLATION_STATUS", "hw_thermal_slowdown"},
    {"HBM_THERMAL_VIOLATION_STATUS", "hw_thermal_slowdown"},
    {"PROCHOT_VIOLATION_STATUS", "hw_slowdown"},
    {"PPT_VIOLATION_STATUS", "sw_power_cap"},
};

}  // namespace

void add_amd_field(Fields& fields, std::string_view section, std::string_view name, std::string value) {
  constexpr size_t kMostFields = 512;
  if (fields.size() >= kMostFields)
    return;
  for (const AmdLeaf& leaf : kLeaves) {
    if (leaf.name == name && (leaf.section.empty() || leaf.section == section)) {
      fields.emplace_back(leaf.field, std::move(value));
      return;
    }
  }
  for (const Throttle& throttle : kThrottles) {
    if (throttle.name != name || value == "N/A")
      continue;
    const bool is_active = value == "THROTTLED" || value == "ACTIVE" || value == "TRUE";
    const std::string field = std::string("clocks_event_reasons.") + throttle.reason;
    for (auto& [own, state] : fields) {
      if (own == field) {
        state = is_active ? "Active" : state;
        return;
      }
    }
    fields.emplace_back(field, is_active ? "Active" : "Not Active");
    return;
  }
}

}  // namespace lento::desk
