// Classes of metrics by name, and the odds of fault types by Bayes' rule.
#include "fleet/scan/fault_types.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lento::fleet {
namespace {

TEST(MetricClasses, AreToldByTheWordsOfANameWhateverItsCase) {
  const std::pair<const char*, MetricClass> expected[] = {
      {"node_cpu_seconds_total", MetricClass::Cpu},
      {"node_load1", MetricClass::Cpu},
      {"DCGM_FI_DEV_POWER_USAGE", MetricClass::Gpu},
      {"dcgm_fi_prof_sm_active", MetricClass::Gpu},
      {"rx_prio3_pause", MetricClass::Pfc},
      {"np_cnp_sent", MetricClass::Pfc},
      {"node_network_transmit_bytes_total", MetricClass::Throughput},
      {"pcie_rx_throughput", MetricClass::Throughput},
      {"node_disk_io_time_seconds_total", MetricClass::Disk},
      {"node_filesystem_avail_bytes", MetricClass::Disk},
      {"node_memory_MemFree_bytes", MetricClass::Memory},
      {"DCGM_FI_DEV_FB_USED", MetricClass::Memory},
      {"nv_gpu_mem_used", MetricClass::Memory},
      {"temperature", MetricClass::Other},
      {"", MetricClass::Other}};
  for (const auto& [name, metric] : expected)
    EXPECT_EQ(metric_class(name), metric) << name;
}

TEST(MetricClasses, HaveNames) {
  EXPECT_EQ(to_string(MetricClass::Cpu), "CPU");
  EXPECT_EQ(to_string(MetricClass::Throughput), "throughput");
  EXPECT_EQ(to_string(MetricClass::Other), "other");
}

double odds(const std::vector<FaultOdds>& all, std::string_view name) {
  const auto at = std::ranges::find_if(all, [&](const FaultOdds& o) {
    return o.name == name;
  });
  return at == all.end() ? -1 : at->probability;
}

// Without any metric the odds are the shares of production faults, which do not add up to one.
TEST(FaultOdds, WithoutMetricsAreTheShares) {
  const auto all = likely_faults({}, {});
  ASSERT_EQ(all.size(), 10u);
  EXPECT_EQ(all[0].name, "ECC error");
  const double sum = .389 + .066 + .057 + .020 + .017 + .009 + .146 + .077 + .057 + .060;
  EXPECT_NEAR(all[0].probability, .389 / sum, 1e-12);
  EXPECT_NEAR(odds(all, "CUDA execution error"), .146 / sum, 1e-12);
}

TEST(FaultOdds, FollowBayesRule) {
  const std::array<bool, kMetricClasses> cpu_and_pfc{true, false, true, false, false, false};
  const std::array<bool, kMetricClasses> cpu{true, false, false, false, false, false};
  const auto none = likely_faults(cpu_and_pfc, {});
  const auto shown = likely_faults(cpu_and_pfc, cpu);
  // ECC shows on the CPU in 0.8 of its cases and NIC dropout in all, which counts as 0.98.
  const double ecc = odds(shown, "ECC error") / odds(none, "ECC error");
  const double nic = odds(shown, "NIC dropout") / odds(none, "NIC dropout");
  EXPECT_NEAR(ecc / nic, (0.8 / 0.2) / (0.98 / 0.02), 1e-9);
}

TEST(FaultOdds, WhatIsNotWatchedTellsNothing) {
  const std::array<bool, kMetricClasses> cpu{true, false, false, false, false, false};
  std::array<bool, kMetricClasses> more = cpu;
  more[size_t(MetricClass::Disk)] = true;  // shown, but not watched
  const auto a = likely_faults(cpu, cpu);
  const auto b = likely_faults(cpu, more);
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(a[i].probability, b[i].probability);
}

TEST(FaultOdds, FallAndAddUpToOne) {
  for (unsigned bits = 0; bits < 64; ++bits) {
    std::array<bool, kMetricClasses> shown{};
    std::array<bool, kMetricClasses> watched{};
    watched.fill(true);
    for (size_t c = 0; c < kMetricClasses; ++c)
      shown[c] = bits >> c & 1;
    const auto all = likely_faults(watched, shown);
    double sum = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      sum += all[i].probability;
      if (i > 0) {
        EXPECT_LE(all[i].probability, all[i - 1].probability);
      }
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

}  // namespace
}  // namespace lento::fleet
