// Inspector's lines and pages: who is which rank, what is timed, what is refused and for which reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/rng.h"
#include "base/test_error.h"
#include "fleet/ranks/read/inspector_log.h"
#include "fleet/ranks/read/inspector_prom.h"

namespace lento::fleet::ranks {
namespace {

using testing::HasSubstr;

struct Line {
  std::string id = "0xa";
  int rank = 0;
  int ranks = 2;
  std::string host = "h";
  int pid = 1;
  std::string perf =
      R"("coll_perf":{"coll":"AllReduce","coll_sn":1,"coll_msg_size_bytes":64,"coll_exec_time_us":5})";

  std::string text() const {
    return R"({"header":{"id":")" + id + R"(","comm_name":"unknown","rank":)" + std::to_string(rank) +
           R"(,"n_ranks":)" + std::to_string(ranks) + R"(,"nnodes":3},"metadata":{"hostname":")" + host +
           R"(","pid":)" + std::to_string(pid) + "}," + perf + "}";
  }
};

std::string reason_of(const std::string& line) {
  base::ReadReport report;
  InspectorLines lines(report);
  lines.add(line, {"a.log", 4});
  EXPECT_EQ(report.taken + report.skipped, 1U) << line;
  EXPECT_EQ(lines.records(), report.taken);
  EXPECT_EQ(report.first_skip.line, report.skipped > 0 ? 4 : 0);
  return report.reasons.empty() ? "taken" : report.reasons.begin()->first;
}

TEST(InspectorLog, EachReasonIsSaidForItsOwnFault) {
  const std::string cut = "a line that is no whole Inspector record";
  const std::string empty = "an Inspector record without operation, number or time";
  const std::string nowhere = "an Inspector record without communicator or rank in it";
  EXPECT_EQ(reason_of(Line{}.text()), "taken");
  EXPECT_EQ(reason_of("{}"), cut);
  EXPECT_EQ(reason_of(Line{}.text().substr(0, 120)), cut);
  const auto with = [](const std::string& perf) {
    Line line;
    line.perf = perf;
    return line.text();
  };
  EXPECT_EQ(reason_of(with(R"("coll_perf":{"coll":"Dance","coll_sn":1,"coll_exec_time_us":5})")), empty);
  EXPECT_EQ(reason_of(with(R"("coll_perf":{"coll":"AllReduce","coll_exec_time_us":5})")), empty);
  EXPECT_EQ(reason_of(with(R"("coll_perf":{"coll":"AllReduce","coll_sn":1})")), empty);
  EXPECT_EQ(reason_of(with(R"("coll_perf":{"coll":"AllReduce","coll_sn":1,"coll_exec_time_us":-5})")), empty);
  EXPECT_EQ(
      reason_of(with(R"("coll_perf":{"coll":"AllReduce","coll_sn":1,"coll_exec_time_us":1e12})")),
      empty);
  EXPECT_EQ(reason_of(with(R"("coll_perf":{"coll":"Send","coll_sn":1,"coll_exec_time_us":5})")), empty);
  EXPECT_EQ(reason_of(with(R"("p2p_perf":{"p2p":"AllReduce","p2p_sn":1,"p2p_exec_time_us":5})")), empty);
  Line line;
  line.rank = 2;
  EXPECT_EQ(reason_of(line.text()), nowhere);
  line.rank = -1;
  EXPECT_EQ(reason_of(line.text()), nowhere);
  line.rank = 1;
  line.id = "";
  EXPECT_EQ(reason_of(line.text()), nowhere);
}

TEST(InspectorLog, SendsKeepTheirPeer) {
  base::ReadReport report;
  InspectorLines lines(report);
  Line line;
  line.perf =
      R"("p2p_perf":{"p2p":"Recv","p2p_sn":9,"p2p_peer":1,"p2p_msg_size_bytes":128,"p2p_exec_time_us":2.5})";
  lines.add(line.text(), {"a", 1});
  const std::vector<RankTrace> ranks = lines.take();
  ASSERT_EQ(ranks.size(), 1U);
  const CollectiveRecord& r = ranks[0].records.at(0);
  EXPECT_EQ(r.op, CollectiveOp::Recv);
  EXPECT_EQ(r.peer, 1);
  EXPECT_EQ(r.bytes, 128);
  EXPECT_EQ(r.sequence, 9);
  EXPECT_EQ(r.end_ns - r.begin_ns, 2500);
}

TEST(InspectorLog, RanksAreProcessesOnHostsInTheirOrder) {
  base::ReadReport report;
  InspectorLines lines(report);
  for (const auto& [host, pid] : {std::pair{"n2", 7}, {"n1", 9}, {"n2", 3}, {"n1", 9}}) {
    Line line;
    line.host = host;
    line.pid = pid;
    line.perf = R"("coll_perf":{"coll":"AllReduce","coll_sn":)" + std::to_string(lines.records()) +
                R"(,"coll_msg_size_bytes":64,"coll_exec_time_us":5})";
    lines.add(line.text(), {host, 1});
  }
  EXPECT_EQ(lines.records(), 4U);
  const std::vector<RankTrace> ranks = lines.take();
  ASSERT_EQ(ranks.size(), 3U);
  EXPECT_EQ(ranks[0].host, "n1");
  EXPECT_EQ(ranks[0].records.size(), 2U);
  EXPECT_EQ(ranks[1].process, 3);
  EXPECT_EQ(ranks[2].process, 7);
  EXPECT_EQ(ranks[0].communicators.at(0).nodes, 3);
  EXPECT_EQ(ranks[0].communicators.at(0).name, "");  // "unknown" is no name
  EXPECT_EQ(lines.records(), 0U);
  EXPECT_TRUE(lines.take().empty());
}

TEST(InspectorLog, CommunicatorsAreRememberedFromOneTakeToTheNext) {
  base::ReadReport report;
  InspectorLines lines(report);
  Line line;
  lines.add(line.text(), {"a", 1});
  line.id = "0xb";
  lines.add(line.text(), {"a", 2});
  EXPECT_EQ(lines.take().at(0).communicators.size(), 2U);
  lines.add(line.text(), {"a", 3});
  const std::vector<RankTrace> again = lines.take();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].communicators.size(), 2U);
  EXPECT_EQ(again[0].communicators[again[0].records.at(0).communicator].key, "0xb");
}

TEST(InspectorLog, OneRecordWithoutAPlaceInTimeMakesTheRankUntimed) {
  const std::string timed =
      R"("coll_perf":{"coll":"AllReduce","coll_sn":1,"coll_exec_time_us":5,"event_trace_ts":{"kernel_events":[
        {"kernel_start_ts":0,"kernel_stop_ts":9},{"kernel_start_ts":20,"kernel_stop_ts":10},
        {"kernel_start_ts":50,"kernel_stop_ts":60}]}})";
  base::ReadReport report;
  InspectorLines lines(report);
  Line line;
  line.perf = timed;
  lines.add(line.text(), {"a", 1});
  std::vector<RankTrace> ranks = lines.take();
  EXPECT_TRUE(ranks.at(0).timed);
  EXPECT_EQ(ranks[0].records[0].begin_ns, 50000);  // channels without a start or that end before it are none
  EXPECT_EQ(ranks[0].records[0].end_ns, 60000);
  lines.add(line.text(), {"a", 2});
  lines.add(Line{}.text(), {"a", 3});
  EXPECT_FALSE(lines.take().at(0).timed);
}

TEST(InspectorLog, LinesInAnyOrderGiveTheSameRank) {
  std::vector<std::string> all;
  for (int i = 0; i < 20; ++i) {
    Line line;
    line.perf = R"("coll_perf":{"coll":"AllGather","coll_sn":)" + std::to_string(i) +
                R"(,"event_trace_ts":{"kernel_events":[{"kernel_start_ts":)" + std::to_string(100 + 10 * i) +
                R"(,"kernel_stop_ts":)" + std::to_string(105 + 10 * i) + "}]}}";
    all.push_back(line.text());
  }
  base::Rng rng(3, "order");
  for (size_t i = all.size(); i-- > 1;)
    std::swap(all[i], all[rng.below(i + 1)]);
  const std::string path = testing::TempDir() + "/lento_order.log";
  std::string text;
  for (const std::string& line : all)
    text += line + "\n\n";
  base::write_file(path, text + "{\"header\":");
  base::ReadReport report;
  InspectorLines lines(report);
  read_inspector_log(path, lines);
  const std::vector<RankTrace> ranks = lines.take();
  EXPECT_EQ(report.taken, 20U);
  EXPECT_EQ(report.skipped, 1U);
  EXPECT_EQ(report.first_skip.line, 41);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(ranks.at(0).records.at(size_t(i)).sequence, i);
}

TEST(InspectorLog, LinesThatWereCopiedTwiceCountOnce) {
  base::ReadReport report;
  InspectorLines lines(report);
  Line line;
  const auto add = [&](int sequence, int64_t begin) {
    line.perf = R"("coll_perf":{"coll":"AllGather","coll_sn":)" + std::to_string(sequence) +
                R"(,"event_trace_ts":{"kernel_events":[{"kernel_start_ts":)" + std::to_string(begin) +
                R"(,"kernel_stop_ts":)" + std::to_string(begin + 5) + "}]}}";
    lines.add(line.text(), {"a.log", 1});
  };
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < 10; ++i)
      add(i, 100 + 10 * i);
  }
  add(3, 500);  // the same number at another time is another record
  const std::vector<RankTrace> ranks = lines.take();
  EXPECT_EQ(ranks.at(0).records.size(), 11U);
  EXPECT_EQ(report.taken, 11U);
  EXPECT_EQ(report.skipped, 10U);
}

std::vector<InspectorMean> page(const std::string& text, base::ReadReport& report) {
  const std::string path = testing::TempDir() + "/lento_page.prom";
  base::write_file(path, text);
  return read_inspector_prom(path, report);
}

TEST(InspectorProm, MeansAreTakenOtherSeriesPassedOver) {
  base::ReadReport report;
  const auto means = page(
      "# HELP nccl_collective_exec_time_microseconds x\n"
      "nccl_collective_exec_time_microseconds{node=\"n1\", "
      "gpu=\"GPU0\",collective=\"AllReduce\",nranks=\"8\"} 12.5 99\n"
      "nccl_collective_bus_bandwidth_gbs{node=\"n1\",gpu=\"GPU0\"} 7\n"
      "nccl_collective_exec_time_microseconds_sum{node=\"n1\",gpu=\"GPU0\"} 7\n"
      "nccl_p2p_exec_time_microseconds{node=\"n1\",gpu=\"GPU1\",p2p_operation=\"Send\"} 3\n\n",
      report);
  ASSERT_EQ(means.size(), 2U);
  EXPECT_EQ(report.skipped, 0U);
  EXPECT_EQ(means[0].node, "n1");
  EXPECT_EQ(means[0].gpu, "GPU0");
  EXPECT_EQ(means[0].exec_us, 12.5);
  EXPECT_EQ(means[1].gpu, "GPU1");
  EXPECT_NE(means[0].shape, means[1].shape);
}

TEST(InspectorProm, ShapesDifferInEachOfTheirLabelsAndInNoOther) {
  base::ReadReport report;
  const auto shape = [&](const std::string& labels) {
    return page("nccl_collective_exec_time_microseconds{node=\"n\",gpu=\"g\"," + labels + "} 1\n", report)
        .at(0)
        .shape;
  };
  const std::string base =
      "comm_name=\"c\",n_nodes=\"2\",nranks=\"16\",collective=\"AllReduce\",message_size=\"1\"";
  EXPECT_EQ(shape(base), shape(base + ",slurm_job_id=\"7\""));
  for (const char* label : {"comm_name", "n_nodes", "nranks", "collective", "message_size", "algo_proto"})
    EXPECT_NE(shape(base), shape(base + "," + label + "=\"other\"")) << label;
}

TEST(InspectorProm, WhatIsNoSampleIsSkippedWithItsLine) {
  base::ReadReport report;
  const std::string name = "nccl_collective_exec_time_microseconds";
  const auto means = page(
      name + "{node=\"n\",gpu=\"g\"} 1\n" + name + "{node=\"n\",gpu=\"g\"} x\n" + name +
          "{node=\"n\",gpu=\"g\"} 0\n" + name + "{node=\"n\",gpu=\"g\"}\n" + name + "{node=\"n\"} 1\n" +
          name + "{gpu=\"g\"} 1\n" + name + "{node=\"n\",gpu=\"g\n",
      report);
  EXPECT_EQ(means.size(), 1U);
  EXPECT_EQ(report.taken, 1U);
  EXPECT_EQ(report.reasons["a mean without a time, node or GPU"], 5U);
  EXPECT_EQ(report.reasons["not a sample line"], 1U);
  EXPECT_EQ(report.first_skip.line, 2);
}

}  // namespace
}  // namespace lento::fleet::ranks
