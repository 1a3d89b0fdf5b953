#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "desk/incident/incident.h"
#include "desk/metrics/metrics.h"
#include "desk/read/log_file.h"

namespace lento::desk {
namespace {

using testing::HasSubstr;

std::string page(int clock_hz, int errors = 0) {
  return "# TYPE smi_clocks_current_sm_clock_hz gauge\n"
         "smi_clocks_current_sm_clock_hz{uuid=\"GPU-1\"} " +
         std::to_string(clock_hz) +
         "\n# TYPE smi_ecc_errors_total counter\nsmi_ecc_errors_total{uuid=\"GPU-1\"} " +
         std::to_string(errors) + "\n# TYPE smi_temperature gauge\nsmi_temperature{uuid=\"GPU-1\"} " +
         std::to_string(clock_hz % 77) + "\n";
}

finding::Diagnosis judge(const std::vector<std::string>& pages) {
  const LogReader reader(metrics_formats());
  Records records;
  std::map<int32_t, Subject> names;
  for (size_t i = 0; i < pages.size(); ++i) {
    reader.read_text(pages[i], "gpu" + std::to_string(i) + ".prom", records);
    names[int32_t(i)] = {"host" + std::to_string(i), "", ""};
  }
  records.name_by_files(names);
  return judge_incident(records, {});
}

TEST(MetricsPage, OnePageAHostIsOneQuestion) {
  std::vector<std::string> pages(8, page(1980));
  EXPECT_EQ(judge(pages).outcome, finding::Outcome::Healthy);
  pages[5] = page(345);
  const finding::Diagnosis d = judge(pages);
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "host5/GPU-1");
  EXPECT_THAT(d.findings[0].summary, HasSubstr("345"));
  EXPECT_THAT(d.findings[0].next_step, HasSubstr("one instant"));
}

TEST(MetricsPage, PeersAreOfOneModel) {
  std::vector<std::string> pages;
  for (const auto& [model, clock] :
       {std::pair{"H100", 1980}, {"H100", 1980}, {"A100", 1410}, {"A100", 1410}}) {
    std::string& text = pages.emplace_back();
    for (int gpu = 0; gpu < 4; ++gpu)
      text += "DCGM_FI_DEV_SM_CLOCK{gpu=\"" + std::to_string(gpu) + "\",modelName=\"" + model + "\"} " +
              std::to_string(pages.size() == 2 && gpu == 1 ? 1215 : clock) + "\n";
  }
  const finding::Diagnosis d = judge(pages);
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  EXPECT_EQ(d.findings[0].subject, "host1/gpu1");
}

TEST(MetricsPage, OnePageAloneCannotBeJudged) {
  EXPECT_EQ(judge({page(345)}).outcome, finding::Outcome::CannotJudge);
}

TEST(MetricsPage, LabelsNameHostDeviceAndRank) {
  const LogReader reader(metrics_formats());
  Records records;
  reader.read_text(
      "DCGM_FI_DEV_SM_CLOCK{gpu=\"3\",Hostname=\"a.b.c:9400\"} 1980\nXPU_HANG{rank=\"7\",ip=\"1.2.3.4\"} 1\n"
      "DCGM_FI_DEV_XID_ERRORS{gpu=\"3\",Hostname=\"a\"} 9223372036854775794\n",
      "p",
      records);
  ASSERT_EQ(records.series().size(), 2u);
  EXPECT_EQ(records.subjects()[0].device, "gpu3");
  EXPECT_EQ(records.subjects()[1].rank, "7");
}

TEST(MetricsPage, AHangAndAnXidAreEvents) {
  std::string page;
  for (int rank = 0; rank < 8; ++rank)
    page += "TIMER_HANG{rank=\"" + std::to_string(rank) + "\"} " + (rank == 3 ? "1" : "0") + "\n";
  const finding::Diagnosis hang = judge({page});
  ASSERT_EQ(hang.outcome, finding::Outcome::Findings);
  EXPECT_THAT(hang.findings[0].subject, HasSubstr("3"));
  EXPECT_TRUE(judge({"node_carrier_changes{device=\"a\"} 1\n"}).findings.empty());
  const finding::Diagnosis lost = judge({"DCGM_FI_DEV_XID_ERRORS{gpu=\"2\",Hostname=\"a\"} 79\n"});
  ASSERT_EQ(lost.findings.size(), 1u);
  EXPECT_THAT(lost.findings[0].summary, HasSubstr("Xid 79"));
}

TEST(MetricsPage, TextAndRecordingsAreNoPages) {
  const LogReader reader(metrics_formats());
  EXPECT_NE(reader.recognise(page(5)).format, nullptr);
  for (const char* text :
       {"rank 3\nrank 4\n", "up{a=\"b\"} 1 1700000000000\nup{a=\"c\"} 1 1700000000000\n", "{\"a\": 1}\n"})
    EXPECT_EQ(reader.recognise(text).format, nullptr) << text;
}

TEST(MetricsPage, NamesDecideTheSide) {
  EXPECT_EQ(quantity_of("DCGM_FI_DEV_SM_CLOCK").better, Better::Higher);
  EXPECT_EQ(quantity_of("nvidia_smi_clocks_max_sm_clock_hz").better, Better::Neither);
  EXPECT_EQ(quantity_of("nvidia_smi_pcie_link_width_current").better, Better::Higher);
  EXPECT_EQ(quantity_of("DCGM_FI_DEV_PCIE_REPLAY_COUNTER").better, Better::Lower);
  EXPECT_EQ(quantity_of("node_network_carrier_changes").better, Better::Neither);
  EXPECT_EQ(quantity_of("nvlink_bandwidth").better, Better::Neither);
  EXPECT_EQ(quantity_of("gpu_temperature_celsius").better, Better::Neither);
}

}  // namespace
}  // namespace lento::desk
