// Estimates the likely fault types from the classes of metrics that deviate: naive Bayes on the rates that
// Minder (NSDI'25, Table 1) reports for production faults.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace lento::fleet {

enum class MetricClass {
  Cpu,
  Gpu,
  Pfc,
  Throughput,
  Disk,
  Memory,
  Other
};
inline constexpr size_t kMetricClasses = 6;  // without Other

// Returns the class by words of the name: "node_cpu_seconds_total" is Cpu, "DCGM_FI_DEV_POWER_USAGE" is Gpu.
MetricClass metric_class(std::string_view name);
std::string_view to_string(MetricClass metric_class);

struct FaultType {
  std::string_view name;
  double share;                              // share of all production faults
  std::array<double, kMetricClasses> shows;  // probability that the class deviates
};

struct FaultOdds {
  std::string_view name;
  double probability = 0;
};

// Returns fault types by falling probability. `watched` marks the classes that have metrics, `shown` those in
// which a metric deviates.
std::vector<FaultOdds> likely_faults(
    const std::array<bool, kMetricClasses>& watched,
    const std::array<bool, kMetricClasses>& shown);

}  // namespace lento::fleet
