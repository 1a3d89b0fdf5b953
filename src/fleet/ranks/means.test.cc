// Means of sixteen GPUs on four nodes: who is the last, and when nobody is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/rng.h"
#include "fleet/ranks/ranks.h"

namespace lento::fleet {
namespace {

// Times of 10 ms with 2 % of noise in `shapes` shapes; the slow one waits less.
std::vector<fleet::ranks::InspectorMean> means(double slow, int shapes = 3, uint64_t seed = 1) {
  base::Rng rng(seed, "means");
  std::vector<fleet::ranks::InspectorMean> out;
  for (int s = 0; s < shapes; ++s) {
    for (int g = 0; g < 16; ++g) {
      const double own = g == 6 ? slow : 1;
      out.push_back(
          {"node" + std::to_string(g / 4),
           "GPU" + std::to_string(g % 4),
           "shape" + std::to_string(s),
           10'000 * own * (1 + rng.normal(0, 0.01))});
    }
  }
  return out;
}

TEST(Means, TheShortestOfItsPeersIsASuspect) {
  const finding::Diagnosis d = diagnose_means(means(0.8));
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "node1/GPU2");
  EXPECT_EQ(d.findings[0].category, "suspect: slow GPU");
  EXPECT_NEAR(*d.findings[0].evidence[1].value, 2, 0.2);
}

TEST(Means, OfHealthyOnesNobodyIsAndNothingIsAllClear) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const finding::Diagnosis d = diagnose_means(means(1, 3, seed));
    EXPECT_TRUE(d.findings.empty()) << seed;
    EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  }
}

TEST(Means, ShortInOneShapeOfManyIsNoSuspect) {
  std::vector<fleet::ranks::InspectorMean> m = means(1, 4);
  m[6].exec_us *= 0.7;
  EXPECT_TRUE(diagnose_means(m).findings.empty());
}

TEST(Means, TwoShortOnesAccuseNeither) {
  std::vector<fleet::ranks::InspectorMean> m = means(0.8);
  for (fleet::ranks::InspectorMean& one : m) {
    if (one.node == "node3" && one.gpu == "GPU0")
      one.exec_us *= 0.8;
  }
  EXPECT_TRUE(diagnose_means(m).findings.empty());
}

TEST(Means, UnderFourGpusAShapeSaysNothing) {
  std::vector<fleet::ranks::InspectorMean> m = means(0.5);
  m.resize(3);
  EXPECT_EQ(diagnose_means(m).outcome, finding::Outcome::CannotJudge);
  EXPECT_EQ(diagnose_means({}).outcome, finding::Outcome::CannotJudge);
}

TEST(Means, APageGivesItsMeanTimesAndNothingElse) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("lento_page_" + std::to_string(::getpid()) + ".prom"))
          .string();
  const std::string labels =
      "{version=\"v5.1\",node=\"n1\",gpu=\"GPU3\",comm_name=\"dp\",n_nodes=\"4\",nranks=\"16\",collective="
      "\"AllReduce\","
      "message_size=\"4-5GB\",algo_proto=\"RING_LL128\",rank=\"7\"}";
  base::write_file(
      path,
      "# TYPE nccl_collective_exec_time_microseconds gauge\nnccl_collective_exec_time_microseconds" + labels +
          " 1234.5\nnccl_collective_exec_time_microseconds_sum" + labels + " 9\nnccl_bus_bandwidth_gbs" +
          labels +
          " 348\nnccl_collective_exec_time_microseconds{node=\"n1\"} 5\nnccl_p2p_exec_time_microseconds" +
          labels + " nan\nnccl_p2p_exec_time_microseconds{node=\"n1\n");
  base::ReadReport report;
  const std::vector<fleet::ranks::InspectorMean> page = fleet::ranks::read_inspector_prom(path, report);
  ASSERT_EQ(page.size(), 1u);
  EXPECT_EQ(page[0].node, "n1");
  EXPECT_EQ(page[0].gpu, "GPU3");
  EXPECT_DOUBLE_EQ(page[0].exec_us, 1234.5);
  EXPECT_NE(page[0].shape.find("AllReduce"), std::string::npos);
  EXPECT_EQ(report.taken, 1u);
  EXPECT_EQ(report.skipped, 3u);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace lento::fleet
