// The table of production faults from the Minder paper and the naive Bayes rule over it.
#include "fleet/scan/fault_types.h"

#include <algorithm>
#include <cctype>

namespace lento::fleet {
namespace {

constexpr double kLeastRate = 0.02;  // replaces rates near 0 and 1, which few faults do not prove

constexpr std::array<FaultType, 10> kFaultTypes{{
    {"ECC error", .389, {.800, .657, .086, .457, .114, .571}},
    {"PCIe downgrading", .066, {0, .083, 1, .333, .083, 0}},
    {"NIC dropout", .057, {1, 1, 0, 0, 1, 1}},
    {"GPU card drop", .020, {.750, .700, .050, .500, .200, .550}},
    {"NVLink error", .017, {.833, .500, .167, .500, 0, .667}},
    {"AOC error", .009, {.250, .250, 0, .250, .250, .250}},
    {"CUDA execution error", .146, {.619, .571, .190, .333, .143, .619}},
    {"GPU execution error", .077, {.500, .714, .143, .429, .214, .428}},
    {"HDFS error", .057, {.571, .571, 0, .143, 0, .143}},
    {"machine unreachable", .060, {.474, .632, 0, .536, .263, .158}},
}};

struct FaultWord {
  std::string_view text;
  MetricClass metric_class;
};
// The first word found decides, so the most specific words come first.
constexpr std::array<FaultWord, 34> kFaultWords{{
    {"pfc", MetricClass::Pfc},
    {"pause", MetricClass::Pfc},
    {"cnp", MetricClass::Pfc},
    {"ecn", MetricClass::Pfc},
    {"gpu_mem", MetricClass::Memory},
    {"fb_used", MetricClass::Memory},
    {"disk", MetricClass::Disk},
    {"filesystem", MetricClass::Disk},
    {"iowait", MetricClass::Disk},
    {"pgpg", MetricClass::Disk},
    {"gpu", MetricClass::Gpu},
    {"dcgm", MetricClass::Gpu},
    {"tensor", MetricClass::Gpu},
    {"graphics", MetricClass::Gpu},
    {"nvlink", MetricClass::Gpu},
    {"sm_active", MetricClass::Gpu},
    {"power", MetricClass::Gpu},
    {"watt", MetricClass::Gpu},
    {"duty", MetricClass::Gpu},
    {"mem", MetricClass::Memory},
    {"anon", MetricClass::Memory},
    {"pgfault", MetricClass::Memory},
    {"resident", MetricClass::Memory},
    {"rdma", MetricClass::Throughput},
    {"throughput", MetricClass::Throughput},
    {"network", MetricClass::Throughput},
    {"bandwidth", MetricClass::Throughput},
    {"transmit", MetricClass::Throughput},
    {"receive", MetricClass::Throughput},
    {"pcie", MetricClass::Throughput},
    {"cpu", MetricClass::Cpu},
    {"load", MetricClass::Cpu},
    {"procs", MetricClass::Cpu},
    {"user_rate", MetricClass::Cpu},
}};

}  // namespace

MetricClass metric_class(std::string_view name) {
  std::string lower(name);
  for (char& c : lower)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  for (const FaultWord& word : kFaultWords) {
    if (lower.find(word.text) != std::string::npos)
      return word.metric_class;
  }
  return MetricClass::Other;
}

std::string_view to_string(MetricClass metric_class) {
  constexpr std::array<std::string_view, 7>
      names{"CPU", "GPU", "PFC", "throughput", "disk", "memory", "other"};
  return names[size_t(metric_class)];
}

std::vector<FaultOdds> likely_faults(
    const std::array<bool, kMetricClasses>& watched,
    const std::array<bool, kMetricClasses>& shown) {
  std::vector<FaultOdds> odds;
  double sum = 0;
  for (const FaultType& type : kFaultTypes) {
    double p = type.share;
    for (size_t c = 0; c < kMetricClasses; ++c) {
      const double rate = std::clamp(type.shows[c], kLeastRate, 1 - kLeastRate);
      if (watched[c])
        p *= shown[c] ? rate : 1 - rate;
    }
    odds.push_back({type.name, p});
    sum += p;
  }
  for (FaultOdds& o : odds)
    o.probability /= sum;
  std::ranges::stable_sort(odds, [](const FaultOdds& a, const FaultOdds& b) {
    return a.probability > b.probability;
  });
  return odds;
}

}  // namespace lento::fleet
