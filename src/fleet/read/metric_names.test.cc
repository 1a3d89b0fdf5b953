// Expressions, names and devices, and what recorded scrapes of every exporter hold.
#include "fleet/read/metric_names.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/http/http.h"
#include "fleet/read/prometheus.h"
#include "fleet/read/source.h"
#include "fleet/read/test_scrapes.h"

namespace lento::fleet {
namespace {

TEST(Metric, ExpressionsAreTakenApart) {
  const MetricSpec plain = parse_metric("node_load1");
  EXPECT_EQ(plain.name, "node_load1");
  EXPECT_FALSE(plain.rate);
  const MetricSpec sum =
      parse_metric("busy = sum(rate(node_cpu_seconds_total{mode!~\"idle|iowait\", cpu=\"0\"}[5m]))");
  EXPECT_EQ(sum.name, "busy");
  EXPECT_EQ(sum.selector, "node_cpu_seconds_total");
  EXPECT_TRUE(sum.rate);
  EXPECT_EQ(sum.across, MetricSpec::Across::Sum);
  ASSERT_EQ(sum.where.size(), 2u);
  EXPECT_EQ(to_string(sum.where[0]), "mode!~\"idle|iowait\"");
  EXPECT_EQ(to_string(sum.where[1]), "cpu=\"0\"");
  EXPECT_EQ(parse_metric("x=histogram_quantile(0.9, a)").promql, "histogram_quantile(0.9, a)");
  EXPECT_THROW(parse_metric("x="), base::Error);
}

TEST(Metric, ACounterIsNeverALevel) {
  for (const char* name :
       {"node_cpu_seconds_total",
        "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL",
        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
        "DCGM_FI_DEV_PCIE_REPLAY_COUNTER"}) {
    EXPECT_TRUE(parse_metric(name).rate) << name;
  }
  for (const std::string& exporter : exporters()) {
    for (const MetricSpec& m : exporter_metrics(exporter))
      EXPECT_TRUE(m.rate || !is_counter(m.selector)) << m.name;
  }
}

TEST(Matcher, KnowsWhatPromqlKnows) {
  EXPECT_EQ(to_string(parse_matcher("job=training")), "job=\"training\"");
  EXPECT_EQ(to_string(parse_matcher("task=~llm.*")), "task=~\"llm.*\"");
  EXPECT_EQ(to_string(parse_matcher("task!~\"a|b\"")), "task!~\"a|b\"");
  EXPECT_EQ(to_string(parse_matcher("x!=\"quo\\\"te\"")), "x!=\"quo\\\"te\"");
  for (const char* bad : {"task", "=x", "!x", "a!b"})
    EXPECT_THROW(parse_matcher(bad), base::Error) << bad;
}

TEST(MachineNames, OneMachineHasOneName) {
  MachineNames names;
  EXPECT_EQ(names.of("node01:9100"), "node01");
  EXPECT_EQ(names.of("10.0.0.7:9400"), "10.0.0.7");
  EXPECT_EQ(names.of("[fe80::1]:9400"), "fe80::1");
  EXPECT_EQ(names.of("node01.cluster.local"), "node01");
  EXPECT_EQ(names.of("node01.other.local"), "node01.other.local");  // another machine
  EXPECT_EQ(names.of("rack1.node3"), "rack1.node3");
  names.add("10.0.0.7", "node07");
  EXPECT_EQ(names.of("10.0.0.7:9100"), "node07");
}

TEST(Device, SlicesAndPartitionsAreDevicesOfTheirOwn) {
  const auto& labels = default_device_labels();
  EXPECT_EQ(device_of({{"gpu", "0"}, {"device", "nvidia0"}}, labels), "0");
  EXPECT_EQ(device_of({{"gpu", "0"}, {"GPU_I_ID", "13"}, {"GPU_I_PROFILE", "1g.5gb"}}, labels), "0/13");
  EXPECT_EQ(device_of({{"gpu_id", "3"}, {"gpu_partition_id", "1"}}, labels), "3/1");
  EXPECT_EQ(device_of({{"device", "mlx5_0"}, {"port", "1"}}, labels), "mlx5_0/1");
  EXPECT_EQ(device_of({{"Hostname", "a"}}, labels), "");
}

// Recorded scrapes; the folder is not part of the repository, so three small ones stand in the test itself.
struct Scrape {
  size_t machines, devices;
  base::ReadReport report;
};
Scrape read_scrape(const std::string& path) {
  Scrape s;
  OpenMetricsOptions o;
  o.path = path;
  o.scraped_at_ms = 1'700'000'000'000;
  o.scraped_from = "target:9400";
  for (const std::string& exporter : exporters()) {
    for (const MetricSpec& m : exporter_metrics(exporter))
      o.metrics.push_back(m.selector);
  }
  const MetricSeries series = read_openmetrics(o, s.report);
  s.machines = series.machines.size();
  s.devices = series.devices.size() - 1;
  return s;
}

TEST(Scrape, EightGpusOfAmdAreEight) {
  const auto path = std::filesystem::temp_directory_path() / "lento_amd.prom";
  std::string text;
  for (int gpu = 0; gpu < 8; ++gpu) {
    text += "gpu_package_power{gpu_id=\"" + std::to_string(gpu) +
            "\",hostname=\"mi300-1\",gpu_partition_id=\"0\"} 41\n";
    text += "gpu_gfx_activity{gpu_id=\"" + std::to_string(gpu) +
            "\", hostname=\"mi300-1\",gpu_partition_id=\"0\"} 9\n";
  }
  base::write_file(path, text);
  const Scrape s = read_scrape(path);
  EXPECT_EQ(s.machines, 1u);
  EXPECT_EQ(s.devices, 8u);
  EXPECT_EQ(s.report.skipped, 0u);
  std::filesystem::remove(path);
}

TEST(Scrape, OfEveryExporterIsCountedRightAndNothingIsSkippedWithoutAReason) {
  const std::filesystem::path from = test::recorded_scrapes();
  if (!std::filesystem::exists(from))
    GTEST_SKIP() << "no recorded scrapes";
  for (const test::RecordedScrape& e :
       {test::RecordedScrape{"dcgm__2.4_a100_mig.prom", 2},
        {"amd_dme__mini.prom", 1},
        {"nvidia_gpu_exporter__h100-80gb-hbm3__load.prom", 1}}) {
    const Scrape s = read_scrape(from / e.file);
    EXPECT_EQ(s.machines, 1u) << e.file;
    EXPECT_EQ(s.devices, e.devices) << e.file;
    for (const auto& [reason, count] : s.report.reasons)
      EXPECT_EQ(reason, "the exporter's value for 'not known'") << e.file << count;
  }
}

// Counters at the store become rates, a reset is no rate, several series of a machine become one sum.
TEST(Prometheus, SumsTheRatesOfAMachinesCounters) {
  base::HttpServer server("127.0.0.1", 0, [&](const base::HttpQuestion&) {
    const auto series = [](const std::string& cpu, const std::string& values) {
      return R"({"metric":{"instance":"n1:9100","cpu":")" + cpu + R"("},"values":[)" + values + "]}";
    };
    const std::string result = series("0", R"([1000,"10"],[1010,"15"],[1020,"2"],[1030,"12"])") + "," +
                               series("1", R"([1000,"100"],[1010,"110"],[1020,"120"],[1030,"130"])");
    return base::HttpReply{
        200,
        R"({"status":"success","data":{"result":[)" + result + "]}}",
        "application/json"};
  });
  PrometheusOptions o;
  o.url = "http://127.0.0.1:" + std::to_string(server.port());
  o.chunks = false;
  o.metrics = {parse_metric("busy=sum(rate(node_cpu_seconds_total))")};
  o.grid = {
      .begin_ms = 1'000'000,
      .step_ms = 10'000,
      .fill_limit_s = 0.1,
  };
  base::ReadReport report;
  const MetricSeries s = read_prometheus(o, 1'000'000, 1'030'000, report);
  EXPECT_EQ(s.machines, std::vector<std::string>{"n1"});
  EXPECT_EQ(s.metrics, std::vector<std::string>{"busy"});
  ASSERT_EQ(s.steps, 4u);
  EXPECT_FLOAT_EQ(s.at(0, 1, 0), 1.5);
  EXPECT_FLOAT_EQ(s.at(0, 3, 0), 2.0);
  EXPECT_EQ(report.skipped, 0u);
}

}  // namespace
}  // namespace lento::fleet
