// The names of a GPU's fields, by which columns of several tools are one quantity: nvidia-smi in its old and
// new names, dcgmi, rocm-smi and amd-smi.
#include <algorithm>

#include "desk/nvidia/gpu_rows.h"

namespace lento::desk {
namespace {

struct Alias {
  const char* name;
  const char* field;
};
const Alias kAliases[] = {
    {"clocks.sm", "clocks.current.sm"},
    {"clocks.mem", "clocks.current.memory"},
    {"clocks.gr", "clocks.current.graphics"},
    {"clocks.applications.gr", "clocks.applications.graphics"},
    {"gpu_name", "name"},
    {"gpu_uuid", "uuid"},
    {"gpu_bus_id", "pci.bus_id"},
    {"pcie.link.gen.gpucurrent", "pcie.link.gen.current"},
    {"hostname", "host"},
    {"node", "host"},
    {"power.draw.average", "power.draw"},
    {"power.draw.instant", "power.draw"},
    {"enforced.power.limit", "power.limit"},
    {"device", "index"},
    {"gpu", "index"},
    {"card series", "name"},
    {"gpu use (%)", "utilization.gpu"},
    {"temperature (sensor junction) (c)", "temperature.gpu"},
    {"temperature (sensor memory) (c)", "temperature.memory"},
    {"sclk clock speed:", "clocks.current.sm"},
    {"mclk clock speed:", "clocks.current.memory"},
    {"average graphics package power (w)", "power.draw"},
    {"current socket graphics package power (w)", "power.draw"},
    {"max graphics package power (w)", "power.limit"},
    {"socket_power", "power.draw"},
    {"power_usage", "power.draw"},
    {"gfx_activity", "utilization.gpu"},
    {"hotspot", "temperature.gpu"},
    {"hotspot_temperature", "temperature.gpu"},
    {"gfx_clk", "clocks.current.sm"},
    {"gfx_0_clk", "clocks.current.sm"},
    {"gfx_clock", "clocks.current.sm"},
    {"mem_clock", "clocks.current.memory"},
    {"total_uncorrectable_count", "ecc.errors.uncorrected.volatile.total"},
    {"total_correctable_count", "ecc.errors.corrected.volatile.total"},
    {"reset_status.reset_required", "reset.required"},
    {"reset_status.drain_and_reset_recommended", "reset.recommended"},
};

const char* const kFields[] = {
    "timestamp",
    "host",
    "index",
    "name",
    "uuid",
    "pci.bus_id",
    "serial",
    "pstate",
    "driver_version",
    "vbios_version",
    "clocks.current.sm",
    "clocks.current.memory",
    "clocks.current.graphics",
    "clocks.max.sm",
    "clocks.applications.graphics",
    "temperature.gpu",
    "temperature.memory",
    "power.draw",
    "power.limit",
    "utilization.gpu",
    "utilization.memory",
    "memory.used",
    "memory.total",
    "memory.free",
    "fan.speed",
    "ecc.mode.current",
    "mig.mode.current",
    "persistence_mode",
    "compute_mode",
    "pcie.link.gen.current",
    "pcie.link.gen.max",
    "pcie.link.width.current",
    "pcie.link.width.max",
    "clocks_event_reasons.active",
    "ecc.errors.uncorrected.volatile.total",
    "ecc.errors.uncorrected.aggregate.total",
    "ecc.errors.corrected.volatile.total",
    "ecc.errors.corrected.aggregate.total",
    "remapped_rows.correctable",
    "remapped_rows.uncorrectable",
    "remapped_rows.pending",
    "remapped_rows.failure",
    "retired_pages.pending",
    "retired_pages.double_bit.count",
    "reset.required",
    "reset.recommended",
    "temperature.slowdown",
};

}  // namespace

std::string field_name(std::string_view column, bool* is_known) {
  const size_t unit = column.find(" [");
  std::string name(column.substr(0, unit));
  name.erase(0, std::min(name.find_first_not_of(" \t"), name.size()));
  name.erase(name.find_last_not_of(" \t") + 1);
  for (char& c : name)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  constexpr std::string_view kOld = "clocks_throttle_reasons.";
  constexpr std::string_view kNew = "clocks_event_reasons.";
  if (name.starts_with(kOld))
    name = std::string(kNew) + name.substr(kOld.size());
  for (const Alias& alias : kAliases) {
    if (name == alias.name) {
      name = alias.field;
      break;
    }
  }
  if (is_known)
    *is_known = name.starts_with(kNew) || std::ranges::find(kFields, name) != std::end(kFields);
  return name;
}

}  // namespace lento::desk
