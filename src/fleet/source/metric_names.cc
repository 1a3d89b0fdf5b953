#include "fleet/source/metric_names.h"

#include "base/error.h"

namespace lento::fleet {

const std::vector<std::pair<std::string_view, std::string_view>>& exporter_metrics(
    std::string_view exporter) {
  using Map = std::vector<std::pair<std::string_view, std::string_view>>;
  static const Map dcgm{
      {"DCGM_FI_DEV_GPU_UTIL", "GPU duty cycle, %"},
      {"DCGM_FI_DEV_POWER_USAGE", "GPU power, W"},
      {"DCGM_FI_PROF_GR_ENGINE_ACTIVE", "GPU graphics engine activity"},
      {"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "GPU tensor core activity"},
      {"DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "NVLink bandwidth"},
      {"DCGM_FI_DEV_SM_CLOCK", "SM clock, MHz"},
      {"DCGM_FI_PROF_DRAM_ACTIVE", "GPU memory activity"},
      {"DCGM_FI_DEV_FB_USED", "GPU memory used, MiB"},
      {"DCGM_FI_DEV_GPU_TEMP", "GPU temperature, C"},
  };
  static const Map node{
      {"node_load1", "runnable processes, one-minute mean"},
      {"node_procs_running", "runnable processes"},
      {"node_procs_blocked", "processes blocked on I/O"},
      {"node_memory_MemAvailable_bytes", "memory available"},
      {"node_memory_Dirty_bytes", "memory to be written"},
      {"node_network_speed_bytes", "link speed"},
      {"node_filesystem_avail_bytes", "disk available"},
  };
  if (exporter == "dcgm") return dcgm;
  if (exporter == "node") return node;
  throw base::Error({}, "no metric names are known for this exporter",
                    "use dcgm or node, or name metrics with --metric");
}

}  // namespace lento::fleet
