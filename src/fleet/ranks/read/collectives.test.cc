// Readers of collective telemetry: what is taken, what is refused.
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/scan/json_scan.h"
#include "fleet/ranks/read/collective_files.h"
#include "fleet/ranks/read/flight_recorder.h"
#include "fleet/ranks/read/inspector_log.h"
#include "fleet/ranks/read/kineto_collectives.h"
#include "fleet/ranks/read/pickle.h"
#include "fleet/ranks/read/ras_answer.h"

namespace lento::fleet::ranks {
namespace {

std::string written(const std::string& name, std::string_view text) {
  const std::string path = testing::TempDir() + "/lento_" + name;
  base::write_file(path, text);
  return path;
}

TEST(JsonScan, ValueEndsWhereItsBracketsAndQuotesEnd) {
  EXPECT_EQ(base::json_value_end(R"({"a":"}\"","b":[1,{}]} x)", 0), 22u);
  EXPECT_EQ(base::json_value_end(R"("a\\" x)", 0), 5u);
  EXPECT_EQ(base::json_value_end(R"({"a":[1,2)", 0), std::string_view::npos);
  EXPECT_EQ(base::json_value_end("12.5,", 0), 4u);
}

TEST(JsonScan, MicrosecondsBecomeNanosecondsExactly) {
  int64_t ns = 0;
  ASSERT_TRUE(base::json_micros("1682725898240960.001", ns));
  EXPECT_EQ(ns, 1682725898240960001);
  ASSERT_TRUE(base::json_micros("2.5", ns));
  EXPECT_EQ(ns, 2500);
  EXPECT_FALSE(base::json_micros("1e400", ns));
  EXPECT_FALSE(base::json_micros("x", ns));
  EXPECT_FALSE(base::json_micros("99999999999999999999", ns));
}

TEST(JsonScan, MembersStopAtDamage) {
  base::JsonMembers m(R"({"a":1,"b"})");
  EXPECT_TRUE(m.next());
  EXPECT_FALSE(m.next());
  EXPECT_TRUE(m.damaged());
}

TEST(JsonScan, RanksCutByDotsAreIncomplete) {
  bool complete = false;
  EXPECT_EQ(base::json_ranks("\"[0, 1, 2]\"", complete), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_TRUE(complete);
  base::json_ranks("\"[0, 1, ...]\"", complete);
  EXPECT_FALSE(complete);
}

const char* const kKineto = R"({"schemaVersion":1,
 "traceEvents":[
 {"ph":"X","cat":"user_annotation","name":"ProfilerStep#7","pid":1,"tid":1,"ts":100.0,"dur":50},
 {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":110,"dur":1,"args":{"correlation":5}},
 {"ph":"X","cat":"kernel","name":"gemm","ts":120,"dur":10,"args":{"device":3}},
 {"ph":"X","cat":"kernel","name":"gemm2","ts":125,"dur":10,"args":{}},
 {"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                  "ts" : 200, "dur" : 30.5, "args" : {
  "device" : 3, "correlation" : 5, "Collective name" : "allreduce",
                                                       "In msg nelems" : 16,
                                                       "Out msg nelems" : 16,
                                                       "Group size" : 2,
                                                       "dtype" : "BFloat16",
                                                                 "Process Group Name"
      : "9",
        "Process Group Description" : "TP",
                                      "Process Group Ranks" : "[4, 7]"
}
},
 {"ph":"X","cat":"kernel","name":"ncclDevKernel_SendRecv","ts":240,"dur":5,"args":{"Collective name":"send",
  "In msg nelems":4,"dtype":"Float","Process Group Name":"9","Process Group Ranks":"[4, 7]","Dst Rank":4,"Seq":12}},
 {"ph":"X","cat":"kernel","name":"multimem_all_reduce_kernel","ts":250,"dur":5,"args":{}},
 {"ph":"i","cat":"kernel","name":"ncclX","ts":1}],
 "distributedInfo":{"rank":7,"world_size":8},"baseTimeNanoseconds":1000000000
})";

TEST(Kineto, RecordsCarryGroupSizeStepAndAbsoluteTime) {
  base::ReadReport report;
  const RankTrace t = read_kineto_collectives(written("kineto.json", kKineto), report);
  EXPECT_EQ(t.rank, 7);
  EXPECT_EQ(t.world, 8);
  EXPECT_EQ(t.device, 3);
  ASSERT_EQ(t.records.size(), 2u);
  const CollectiveRecord& r = t.records[0];
  EXPECT_EQ(r.op, CollectiveOp::AllReduce);
  EXPECT_EQ(r.bytes, 32);
  EXPECT_EQ(r.begin_ns, 1000200000);
  EXPECT_EQ(r.end_ns, 1000230500);
  EXPECT_EQ(r.step, 7);  // by its launch, although the mark had ended
  EXPECT_EQ(t.communicators[0].own, 1);
  EXPECT_EQ(t.records[1].peer, 0);
  EXPECT_EQ(t.records[1].sequence, 12);
  EXPECT_EQ(t.unlabelled, 1u);
  EXPECT_EQ(t.communication, 3u);
  ASSERT_EQ(t.compute.size(), 1u);  // overlapping kernels are one span
  EXPECT_EQ(t.compute[0].end_ns - t.compute[0].begin_ns, 15000);
}

TEST(Kineto, KernelWithoutArgumentsTakesThoseOfItsCall) {
  base::ReadReport report;
  const RankTrace t = read_kineto_collectives(
      written("call.json", R"([{"ph":"X","cat":"kernel","name":"ncclDevKernel_Generic","ts":5,"dur":2,
        "args":{"External id":3}},
        {"ph":"X","cat":"cpu_op","name":"record_param_comms","ts":1,"dur":1,"args":{"External id":3,
        "Collective name":"_allgather_base","In msg nelems":1,"Out msg nelems":8,"dtype":"Float",
        "Process Group Name":"0","Process Group Ranks":"[0, 1]"}}])"),
      report);
  ASSERT_EQ(t.records.size(), 1u);
  EXPECT_EQ(t.records[0].op, CollectiveOp::AllGather);
  EXPECT_EQ(t.records[0].bytes, 32);
}

TEST(Kineto, CutTraceIsAnError) {
  base::ReadReport report;
  EXPECT_THROW(
      read_kineto_collectives(written("cut.json", R"({"traceEvents":[{"ph":"X")"), report),
      base::Error);
}

const char* const kLine =
    R"({"header":{"id":"0xa","rank":1,"n_ranks":2,"nnodes":1},"metadata":{"hostname":"h","pid":5},)"
    R"("coll_perf":{"coll":"AllReduce","coll_sn":3,"coll_msg_size_bytes":64,"coll_exec_time_us":7)";

TEST(Inspector, VerboseLinesHaveTimesAndPlainOnesDurations) {
  base::ReadReport report;
  InspectorLines lines(report);
  lines.add(
      std::string(kLine) +
          R"(,"event_trace_ts":{"kernel_events":[{"channel_id":0,"kernel_start_ts":100,"kernel_stop_ts":107},)"
          R"({"channel_id":1,"kernel_start_ts":99,"kernel_stop_ts":106}]}}})",
      {"a.log", 1});
  std::vector<RankTrace> ranks = lines.take();
  ASSERT_EQ(ranks.size(), 1u);
  EXPECT_TRUE(ranks[0].timed);
  EXPECT_EQ(ranks[0].records[0].begin_ns, 99000);
  EXPECT_EQ(ranks[0].records[0].end_ns, 107000);
  EXPECT_EQ(ranks[0].records[0].sequence, 3);
  lines.add(std::string(kLine) + "}}", {"a.log", 2});
  ranks = lines.take();
  EXPECT_FALSE(ranks[0].timed);
  EXPECT_EQ(ranks[0].records[0].end_ns, 7000);
}

TEST(Inspector, CutLineIsCountedNotTaken) {
  base::ReadReport report;
  InspectorLines lines(report);
  lines.add(kLine, {"a.log", 1});
  EXPECT_TRUE(lines.take().empty());
  EXPECT_EQ(report.skipped, 1u);
}

TEST(Pickle, ReadsPlainDataAndSharedValues) {
  // {'a': [1, -2, 'x'], 'b': <the same list>}
  const std::string bytes(
      "\x80\x02}q\x00(X\x01\x00\x00\x00"
      "aq\x01]q\x02(K\x01J\xfe\xff\xff\xffX\x01\x00\x00\x00xeX\x01\x00\x00\x00"
      "bh\x02u.",
      42);
  const PlainDocument d = parse_pickle(bytes, "p");
  const PlainValue* a = d.root->find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->items[1]->integer(0), -2);
  EXPECT_EQ(d.root->find("b"), a);
}

TEST(Pickle, RefusesToImportOrCall) {
  for (const std::string& bytes :
       {std::string(
            "\x80\x02"
            "cos\nsystem\n(X\x02\x00\x00\x00lstR.",
            24),
        std::string("\x80\x04\x93.", 4),
        std::string("\x80\x02]]R.", 6)}) {
    try {
      parse_pickle(bytes, "p");
      ADD_FAILURE();
    } catch (const base::Error& e) {
      EXPECT_NE(std::string(e.what()).find("import or call"), std::string::npos) << e.what();
    }
  }
}

TEST(Pickle, RefusesWhatIsCutOrUnbalanced) {
  for (const std::string& bytes :
       {std::string("\x80\x02]", 3),
        std::string("\x80\x02u.", 4),
        std::string(
            "\x80\x02X\xff\xff\xff\x7f"
            "a.",
            9),
        std::string("\x80\x02h\x05.", 5)})
    EXPECT_THROW(parse_pickle(bytes, "p"), base::Error);
}

TEST(FlightRecorder, StatusIsNamedByTheOrderOfNumbers) {
  base::ReadReport report;
  const HangDump d = parse_flight_recorder(
      R"({"version":"2.9","pg_config":{"7":{"name":"7","desc":"DP","ranks":"[0, 1]"},
          "12":{"name":"12","desc":"TP","ranks":"[1]"}},
          "pg_status":{"1":{"last_enqueued_collective":"5","last_started_collective":-1,"last_completed_collective":4},
          "3":{"last_enqueued_collective":9,"last_started_collective":-1,"last_completed_collective":9}},
          "entries":[{"pg_id":1,"process_group":["7","DP"],"collective_seq_id":5,"is_p2p":false,"state":"scheduled",
          "profiling_name":"nccl:all_reduce","input_sizes":[[4]],"output_sizes":[[4]],"input_dtypes":["Float"]},
          {"pg_id":1,"process_group":["7","DP"],"collective_seq_id":4,"is_p2p":false,"state":"completed"}]})",
      "trace_rank_1.json",
      report);
  EXPECT_EQ(d.rank, 1);
  EXPECT_EQ(d.status.at("7").last_enqueued, 5);
  EXPECT_EQ(d.status.at("12").last_enqueued, 9);
  ASSERT_EQ(d.pending.size(), 1u);
  EXPECT_EQ(d.pending[0].op, "all_reduce");
  EXPECT_EQ(d.entries, 2u);
}

TEST(FlightRecorder, RankIsTheLastNumberOfTheName) {
  EXPECT_EQ(rank_in_name("/a/b12/_dump_7"), 7);
  EXPECT_EQ(rank_in_name("nccl_trace_rank_31.json.gz"), 31);
  EXPECT_EQ(rank_in_name("dump"), -1);
}

TEST(Ras, MissingRanksAreMarked) {
  base::ReadReport report;
  const RasAnswer a = read_ras_answer(
      written("ras.json", R"({"timestamp":"t","communicators":[{"hash":"0x1","size":2,
        "ranks":[{"rank":0,"host":"h","pid":1,"collective_counts":{"AllReduce":4}}],
        "missing_ranks":[{"rank":1,"host":"h","pid":2,"status":{"unresponsive":true,"considered_dead":false}}]}]})"),
      report);
  ASSERT_EQ(a.communicators[0].ranks.size(), 2u);
  EXPECT_EQ(a.communicators[0].ranks[0].counts.at("AllReduce"), 4);
  EXPECT_TRUE(a.communicators[0].ranks[1].missing);
  EXPECT_TRUE(a.communicators[0].ranks[1].unresponsive);
}

TEST(CollectiveFiles, LayoutsAreToldByContent) {
  EXPECT_EQ(recognise_collectives(written("k", kKineto)), CollectiveLayout::Kineto);
  EXPECT_EQ(recognise_collectives(written("i", std::string(kLine) + "}}\n")), CollectiveLayout::Inspector);
  EXPECT_EQ(recognise_collectives(written("n", "a,b\n1,2\n")), CollectiveLayout::None);
  base::ReadReport report;
  EXPECT_THROW(read_collective_files({written("n", "a,b\n1,2\n")}, report), base::Error);
}

}  // namespace
}  // namespace lento::fleet::ranks
