// Dumps of the flight recorder: counters get the right group's name, entries keep what they waited for.
#include "fleet/ranks/read/flight_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_error.h"

namespace lento::fleet::ranks {
namespace {

using testing::HasSubstr;

HangDump parse(const std::string& text, const std::string& file = "dump_3.json") {
  base::ReadReport report;
  return parse_flight_recorder(text, file, report);
}

std::string counters(int enqueued, int started, int completed) {
  return "{\"last_enqueued_collective\":" + std::to_string(enqueued) +
         ",\"last_started_collective\":" + std::to_string(started) +
         ",\"last_completed_collective\":" + std::to_string(completed) + "}";
}

TEST(FlightRecorder, NumbersOfGroupsAreSortedAsNumbers) {
  // By their letters "12" would stand before "7".
  const HangDump d = parse(
      R"({"entries":[],"pg_config":{"12":{"name":"12"},"7":{"name":"7"},"100":{"name":"100"}},"pg_status":{"0":)" +
      counters(1, 1, 1) + ",\"2\":" + counters(3, 3, 3) + ",\"1\":" + counters(2, 2, 2) + "}}");
  EXPECT_TRUE(d.status_known);
  EXPECT_EQ(d.status.at("7").last_enqueued, 1);
  EXPECT_EQ(d.status.at("12").last_enqueued, 2);
  EXPECT_EQ(d.status.at("100").last_enqueued, 3);
}

// A lost byte in a key hides what the rank waits for, and its counters alone would accuse it.
TEST(FlightRecorder, ADumpWithALostKeyOrAnotherNameOfAGroupIsDamaged) {
  const std::string whole =
      R"({"version":"2.9","entries":[{"pg_id":1,"process_group":["g","TP"],"collective_seq_id":5,"state":"started",
          "profiling_name":"nccl:recv 0<-1"}],"pg_config":{"g":{"name":"g"}}})";
  EXPECT_EQ(parse(whole).pending.size(), 1U);
  for (const char* key : {"process_group", "collective_seq_id", "state", "profiling_name", "g\":{"}) {
    std::string spoilt = whole;
    spoilt.erase(spoilt.find(key) + 1, 1);
    EXPECT_THROW(parse(spoilt), base::Error) << key;
  }
}

TEST(FlightRecorder, AnEntryThatSaysBothNumberAndNameDecides) {
  const HangDump d = parse(
      R"({"pg_config":{"a":{"name":"a"},"b":{"name":"b"}},"entries":[
         {"pg_id":5,"process_group":["b","DP"],"collective_seq_id":9,"state":"completed"}],"pg_status":{"4":)" +
      counters(1, 1, 1) + ",\"5\":" + counters(2, 1, 0) + "}}");
  EXPECT_EQ(d.status.at("b").last_enqueued, 2);
  EXPECT_EQ(d.status.at("b").last_started, 1);
  EXPECT_EQ(d.status.at("b").last_completed, 0);
  EXPECT_EQ(d.status.at("a").last_enqueued, 1);
  EXPECT_TRUE(d.pending.empty());
}

TEST(FlightRecorder, CountersThatCannotBeNamedAreLeftOut) {
  // Three counters, two groups: the order says nothing.
  const HangDump d = parse(
      R"({"entries":[],"pg_config":{"a":{"name":"a"},"b":{"name":"b"}},"pg_status":{"0":)" +
      counters(1, 1, 1) + ",\"1\":" + counters(2, 2, 2) + ",\"2\":" + counters(3, 3, 3) + "}}");
  EXPECT_TRUE(d.status.empty());
  EXPECT_FALSE(d.status_known);
  EXPECT_EQ(d.groups.size(), 2U);
}

TEST(FlightRecorder, GroupsKeepTheirDescriptionAndWholeListsOfRanks) {
  const HangDump d = parse(
      R"({"entries":[],"pg_config":{"a":{"name":"a","desc":"default_pg","ranks":"[0, 8]"},
         "1":{"desc":"cut","ranks":"[0, 1, ...]"}}})");
  EXPECT_EQ(d.groups.at("a").description, "default_pg");
  EXPECT_EQ(d.groups.at("a").ranks, (std::vector<int32_t>{0, 8}));
  EXPECT_EQ(d.groups.at("1").description, "cut");  // without a name its number is one
  EXPECT_TRUE(d.groups.at("1").ranks.empty());
}

TEST(FlightRecorder, PendingOnesSayWhatTheyMove) {
  const HangDump d = parse(
      R"({"version":"2.4","entries":[
         {"process_group":["g",""],"collective_seq_id":7,"p2p_seq_id":3,"is_p2p":false,"state":"started",
          "profiling_name":"nccl:all_to_all","input_sizes":[[4096,5120],[]],"output_sizes":[[8]],
          "input_dtypes":["BFloat16","Float"]},
         {"process_group":["g",""],"collective_seq_id":7,"p2p_seq_id":3,"is_p2p":true,"state":"scheduled",
          "profiling_name":"nccl:send 0->3"}, 5]})");
  EXPECT_EQ(d.version, "2.4");
  EXPECT_EQ(d.rank, 3);
  EXPECT_EQ(d.entries, 2U);
  ASSERT_EQ(d.pending.size(), 2U);
  const PendingOp& all = d.pending[0];
  EXPECT_TRUE(all.started);
  EXPECT_FALSE(all.p2p);
  EXPECT_EQ(all.sequence, 7);
  EXPECT_EQ(all.op, "all_to_all");
  EXPECT_EQ(all.input_sizes, "[4096, 5120] []");
  EXPECT_EQ(all.sizes, "[4096, 5120] [] -> [8]");
  EXPECT_EQ(all.dtype, "BFloat16");
  const PendingOp& send = d.pending[1];
  EXPECT_FALSE(send.started);
  EXPECT_TRUE(send.p2p);
  EXPECT_EQ(send.sequence, 3);
  EXPECT_EQ(send.op, "send 0->3");
}

TEST(FlightRecorder, PickleAndJsonOfTheSameDumpAreTheSame) {
  using std::string_literals::operator""s;
  const auto text = [](const std::string& s) {
    return "U" + std::string(1, char(s.size())) + s;
  };
  const std::string pickle = "\x80\x02}("s + text("version") + text("2.9") + text("entries") + "](}(" +
                             text("pg_id") + "K\x01"s + text("process_group") + "](" + text("g") +
                             text("TP") + "e" + text("collective_seq_id") + "K\x05"s + text("is_p2p") +
                             "\x89"s + text("state") + text("started") + text("profiling_name") +
                             text("nccl:barrier") + "ueu.";
  const HangDump a = parse(pickle, "trace_9");
  const HangDump b = parse(
      R"({"version":"2.9","entries":[{"pg_id":1,"process_group":["g","TP"],"collective_seq_id":5,"is_p2p":false,
         "state":"started","profiling_name":"nccl:barrier"}]})",
      "trace_9.json");
  for (const HangDump* d : {&a, &b}) {
    EXPECT_EQ(d->rank, 9);
    EXPECT_EQ(d->version, "2.9");
    ASSERT_EQ(d->pending.size(), 1U);
    EXPECT_EQ(d->pending[0].group, "g");
    EXPECT_EQ(d->pending[0].sequence, 5);
    EXPECT_EQ(d->pending[0].op, "barrier");
    EXPECT_TRUE(d->pending[0].started);
  }
}

TEST(FlightRecorder, SizesOfThousandsOfTensorsAreCut) {
  std::string sizes;
  for (int i = 0; i < 3000; ++i)
    sizes += std::string(i > 0 ? "," : "") + "[1000,1000]";
  const HangDump d = parse(
      R"({"entries":[{"process_group":["g"],"collective_seq_id":1,"state":"started","profiling_name":"nccl:x","input_sizes":[)" +
      sizes + "]}]}");
  EXPECT_LT(d.pending.at(0).input_sizes.size(), 4200U);
}

TEST(FlightRecorder, WhatIsNoDumpIsRefusedWithItsName) {
  for (const char* text : {"[]", "{}", R"({"pg_status":{}})", "3"}) {
    EXPECT_THAT(
        base::test::error_of([&] {
          parse(text, "some/dump_3.json");
        }),
        testing::AllOf(HasSubstr("some/dump_3.json"), HasSubstr("no 'entries'")))
        << text;
  }
  EXPECT_THAT(
      base::test::error_of([&] {
        parse("{\"entries\":", "d.json");
      }),
      HasSubstr("d.json"));
}

TEST(FlightRecorder, TheRankIsTheLastNumberOfTheNameWhateverItsEndings) {
  EXPECT_EQ(rank_in_name("dump_rank_7.json.gz"), 7);
  EXPECT_EQ(rank_in_name("dump_rank_7.pickle"), 7);
  EXPECT_EQ(rank_in_name("a1/b2/c"), -1);
  EXPECT_EQ(rank_in_name("12"), 12);
  EXPECT_EQ(rank_in_name("node3_rank04.pkl.zst"), 4);
  EXPECT_EQ(rank_in_name("rank_99999999999999999999"), -1);
  EXPECT_EQ(rank_in_name("rank_16777216"), -1);
  EXPECT_EQ(rank_in_name("rank_16777215"), 16777215);
}

}  // namespace
}  // namespace lento::fleet::ranks
