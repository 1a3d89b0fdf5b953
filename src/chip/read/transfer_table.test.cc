// Tables that users name the columns of, our own records and several files of one run: values, places of
// what is wrong, and round trips of random traces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/rng.h"
#include "base/test_error.h"
#include "chip/read/transfer_readers.h"

namespace lento::chip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TransferTrace table(const std::string& text, base::ReadReport& report) {
  return parse_transfers(text, "t.csv", {}, report);
}

std::string skip_of(const std::string& row) {
  base::ReadReport report;
  table("component,kind,peer,bytes,start,end,layer\n" + row + "\n", report);
  EXPECT_EQ(report.taken + report.skipped, 1U) << row;
  return report.reasons.empty() ? "taken" : report.reasons.begin()->first;
}

TEST(CommaFields, QuotesKeepCommasAndBlanksAroundAreDropped) {
  EXPECT_THAT(fields_of("a, b ,\"c, d\",,"), ElementsAre("a", "b", "c, d", "", ""));
  EXPECT_THAT(fields_of(""), ElementsAre(""));
  EXPECT_THAT(fields_of("\t x y \t"), ElementsAre("x y"));
}

TEST(Table, EachReasonIsSaidForItsOwnFault) {
  EXPECT_EQ(skip_of("1-1,read,2-2,64,10,20,c"), "taken");
  EXPECT_EQ(skip_of("x,read,2-2,64,10,20,c"), "a component that is no tile");
  EXPECT_EQ(skip_of("1-70000,read,2-2,64,10,20,c"), "a component that is no tile");
  EXPECT_EQ(skip_of("1-1,read,2-2,64,-10,20,c"), "a start that is no time");
  EXPECT_EQ(skip_of("1-1,read,2-2,64,,20,c"), "a start that is no time");
  EXPECT_EQ(skip_of("1-1,jump,2-2,64,10,20,c"), "a kind that is not read, write, message or compute");
  EXPECT_EQ(skip_of("1-1,read,,64,10,20,c"), "a peer that is no tile");
  EXPECT_EQ(skip_of("1-1,read,2-2,64,10,9,c"), "an end before the start");
  EXPECT_EQ(skip_of("1-1,read,2-2,64,10"), "a row with another number of fields than the header");
}

TEST(Table, KindsHaveTheirSynonymsInAnyCase) {
  base::ReadReport report;
  const TransferTrace trace = table(
      "component,kind,peer,start\n1-1,Read,2-2,1\n1-1,RECV,2-2,2\n1-1,receive,2-2,3\n1-1,message,2-2,4\n"
      "1-1,send,2-2,5\n1-1,WRITE,2-2,6\n1-1,Compute,,7\n",
      report);
  ASSERT_EQ(trace.streams.size(), 1U);
  const auto& records = trace.streams[0].records;
  ASSERT_EQ(records.size(), 7U);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(records[i].kind, TransferKind::Read) << i;
  EXPECT_EQ(records[4].kind, TransferKind::Write);
  EXPECT_EQ(records[5].kind, TransferKind::Write);
  EXPECT_EQ(records[6].kind, TransferKind::Compute);
  EXPECT_FALSE(records[6].peer.known());
}

TEST(Table, PlacesAreWrittenInFourWays) {
  base::ReadReport report;
  const TransferTrace trace = table("component,start\n1-2,0\n\"3,4\",0\n7:5-6,0\ncore9,0\n", report);
  ASSERT_EQ(trace.streams.size(), 4U);
  EXPECT_EQ(trace.streams[0].core, (Place{0, 1, 2}));
  EXPECT_EQ(trace.streams[1].core, (Place{0, 3, 4}));
  EXPECT_EQ(trace.streams[2].core, (Place{7, 5, 6}));
  EXPECT_EQ(trace.streams[3].core, (Place{0, 9, 0}));
}

TEST(Table, WithoutAKindARowIsWorkAndWithoutAnEndItStaysOpen) {
  base::ReadReport report;
  const TransferTrace trace = table("component,start,end\n1-1,5,\n1-1,6,6\n\n", report);
  const auto& records = trace.streams.at(0).records;
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].kind, TransferKind::Compute);
  EXPECT_EQ(records[0].end, kNoTime);
  EXPECT_EQ(records[1].end, 6U);
  EXPECT_EQ(report.skipped, 0U);
}

// Nanoseconds since 1970 have 19 digits, a double holds 15 to 17. Rows of a processor are sorted by their
// begin.
TEST(Table, TimesOfManyDigitsAreTakenExactly) {
  base::ReadReport report;
  const TransferTrace trace =
      table("component,start,end\n1-1,1763812345678901235,1763812345678901236\n1-1,2.6,1e3\n", report);
  const auto& records = trace.streams.at(0).records;
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].begin, 3U);
  EXPECT_EQ(records[0].end, 1000U);
  EXPECT_EQ(records[1].begin, 1763812345678901235U);
  EXPECT_EQ(records[1].end, 1763812345678901236U);
}

TEST(Table, PlacesOfWhatIsSkippedAreTheRowsOfTheFile) {
  base::ReadReport report;
  table("component,start\r\n1-1,1\r\n\r\n1-1,x\r\n", report);
  EXPECT_EQ(report.taken, 1U);
  EXPECT_EQ(report.first_skip.file, "t.csv");
  EXPECT_EQ(report.first_skip.line, 4);
  base::ReadReport strict;
  strict.strict = true;
  EXPECT_THAT(
      base::test::error_of([&] {
        table("component,start\n1-1,x\n", strict);
      }),
      HasSubstr("t.csv:2"));
}

TEST(Transfers, WhatIsNoneOfTheFormsIsRefused) {
  base::ReadReport report;
  const auto error = [&](const std::string& text) {
    return base::test::error_of([&] {
      parse_transfers(text, "f", {}, report);
    });
  };
  EXPECT_THAT(error(""), HasSubstr("the file is empty"));
  EXPECT_THAT(error(" \n\t"), HasSubstr("the file is empty"));
  EXPECT_THAT(error("{\"a\":1}"), HasSubstr("needed an array of events"));
  EXPECT_THAT(error("ARCH: x\ncore_x,core_y\n"), HasSubstr("no column 'PCIe slot'"));
  EXPECT_THAT(error("a,b\n"), HasSubstr("f:1"));
  EXPECT_THAT(
      error("lento-records 2\n{\"networks\":[],\"names\":[],\"joints\":[]}\n"),
      HasSubstr("at least one name"));
  EXPECT_THAT(
      error("lento-records 2\n{\"networks\":[],\"names\":[\"\"],\"joints\":[[1,2,3]]}\n"),
      HasSubstr("six numbers"));
  EXPECT_THAT(
      error("lento-records 2\n{\"networks\":[],\"names\":[\"\"],\"joints\":[]}\nchip x\n"),
      HasSubstr("the columns are not those"));
}

TEST(ProfileLog, RowsWithMoreFieldsAreTakenThoseWithFewerNot) {
  const std::string head =
      "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\n"
      "PCIe slot,core_x,core_y,RISC processor type,time[cycles since reset],zone name,type,meta data\n";
  base::ReadReport report;
  const TransferTrace trace = parse_transfers(
      head +
          "0,1,2,BRISC,10,Z,ZONE_START,{\"a\":1,\"b\":2}\n0,1,2,BRISC,30,Z,ZONE_END,\n"
          "0,1,2,BRISC,20,Z,TS_DATA,\n0,1,2,BRISC,40,Z\n0,x,2,BRISC,50,Z,ZONE_END,\n"
          "0,1,2,BRISC,18446744073709551615,Z,ZONE_END,\n",
      "profile_log_device.csv",
      {},
      report);
  EXPECT_EQ(report.taken, 3U);
  EXPECT_EQ(report.reasons["a row with fewer fields than the header"], 1U);
  EXPECT_EQ(report.reasons["a row without core or time"], 2U);
  const auto& records = trace.streams.at(0).records;
  EXPECT_EQ(records[0].kind, TransferKind::Zone);
  EXPECT_EQ(records[1].kind, TransferKind::ZoneEnd);
  EXPECT_EQ(records[2].kind, TransferKind::Other);
  EXPECT_EQ(trace.names[trace.streams[0].processor], "BRISC");
}

TransferTrace random_trace(uint64_t seed) {
  base::Rng rng(seed, "transfers");
  TransferTrace trace;
  trace.name_id("");
  for (uint64_t i = 0; i < 1 + rng.below(5); ++i)
    trace.name_id("name " + std::to_string(i));
  for (uint64_t i = 0; i < 1 + rng.below(3); ++i)
    trace.network_id("N" + std::to_string(i));
  const auto place = [&] {
    return Place{int32_t(rng.below(3)), int32_t(rng.below(20)), int32_t(rng.below(20))};
  };
  trace.joints.push_back({place(), place()});
  for (int32_t s = 0; s < 4; ++s) {
    TransferStream stream{{s, s, s}, uint32_t(rng.below(trace.names.size())), {}};
    for (uint64_t i = 0; i < 1 + rng.below(30); ++i) {
      TransferRecord r;
      r.kind = static_cast<TransferKind>(rng.below(8));
      r.begin = rng.next() >> 2;
      r.end = rng.below(2) ? kNoTime : r.begin + (rng.next() >> 2);
      r.bytes = rng.next() >> 1;
      r.network = uint8_t(rng.below(trace.networks.size()));
      r.name = uint32_t(rng.below(trace.names.size()));
      r.sources = uint32_t(rng.below(3));
      if (is_transfer(r.kind))
        r.peer = place();
      stream.records.push_back(r);
    }
    trace.streams.push_back(std::move(stream));
  }
  return trace;
}

TEST(Records, RandomTracesComeBackAsTheyWere) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const TransferTrace trace = random_trace(seed);
    const std::string path = testing::TempDir() + "/lento_random.records";
    write_transfers(path, trace);
    base::ReadReport report;
    const TransferTrace back = read_transfers(path, {}, report);
    EXPECT_EQ(report.skipped, 0U) << seed;
    EXPECT_EQ(back.names, trace.names);
    EXPECT_EQ(back.networks, trace.networks);
    ASSERT_EQ(back.streams.size(), trace.streams.size());
    for (size_t s = 0; s < trace.streams.size(); ++s) {
      EXPECT_EQ(back.streams[s].core, trace.streams[s].core);
      EXPECT_EQ(back.streams[s].processor, trace.streams[s].processor);
      ASSERT_EQ(back.streams[s].records.size(), trace.streams[s].records.size());
      for (size_t i = 0; i < trace.streams[s].records.size(); ++i) {
        const TransferRecord& a = trace.streams[s].records[i];
        const TransferRecord& b = back.streams[s].records[i];
        EXPECT_EQ(b.begin, a.begin);
        EXPECT_EQ(b.end, a.end);
        EXPECT_EQ(b.bytes, a.bytes);
        EXPECT_EQ(b.peer, a.peer);
        EXPECT_EQ(b.kind, a.kind);
        EXPECT_EQ(b.network, a.network);
        EXPECT_EQ(b.name, a.name);
        EXPECT_EQ(b.sources, a.sources);
      }
    }
    EXPECT_EQ(print_transfers(back), print_transfers(trace));
  }
}

TEST(Records, EachFieldOutOfItsRangeIsNoRecord) {
  const std::string head =
      "lento-records 2\n{\"networks\":[\"A\"],\"names\":[\"\"],\"joints\":[]}\n"
      "chip x y processor kind network peer_chip peer_x peer_y bytes begin end name sources\n";
  const auto taken = [&](const std::string& row) {
    base::ReadReport report;
    parse_transfers(head + row + "\n", "r", {}, report);
    EXPECT_EQ(report.taken + report.skipped, 1U);
    return report.taken == 1;
  };
  EXPECT_TRUE(taken("0 1 1 0 read 0 0 2 2 8 5 - 0 1"));
  EXPECT_FALSE(taken("-1 1 1 0 read 0 0 2 2 8 5 - 0 1"));
  EXPECT_FALSE(taken("0 70000 1 0 read 0 0 2 2 8 5 - 0 1"));
  EXPECT_FALSE(taken("0 1 1 1 read 0 0 2 2 8 5 - 0 1"));
  EXPECT_FALSE(taken("0 1 1 0 reed 0 0 2 2 8 5 - 0 1"));
  EXPECT_FALSE(taken("0 1 1 0 read 1 0 2 2 8 5 - 0 1"));
  EXPECT_FALSE(taken("0 1 1 0 read 0 0 -2 2 8 5 - 0 1"));
  EXPECT_FALSE(taken("0 1 1 0 read 0 0 2 2 -8 5 - 0 1"));
  EXPECT_FALSE(taken("0 1 1 0 read 0 0 2 2 8 - - 0 1"));  // a begin is known
  EXPECT_FALSE(taken("0 1 1 0 read 0 0 2 2 8 5 x 0 1"));
  EXPECT_FALSE(taken("0 1 1 0 read-group 0 0 2 2 8 5 4 0 1"));  // over before it began
  EXPECT_FALSE(taken("0 1 1 0 read 0 0 2 2 8 5 - 1 1"));
  EXPECT_FALSE(taken("0 1 1 0 read 0 0 2 2 8 5 - 0 2000000"));
  EXPECT_FALSE(taken("0 1 1 0 read 0 0 2 2 8 5 - 0 1 9"));
  EXPECT_FALSE(taken("0 1 1 0 read 0 0 2 2 8 5 - 0"));
}

TEST(Append, NamesAndNetworksKeepTheirMeaning) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    TransferTrace all = random_trace(seed);
    const TransferTrace more = random_trace(seed + 100);
    const TransferCounts before = count(all);
    const size_t streams = all.streams.size();
    append(all, more);
    EXPECT_EQ(count(all).events, before.events + count(more).events);
    EXPECT_EQ(count(all).bytes, before.bytes + count(more).bytes);
    EXPECT_EQ(all.joints.size(), 2U);
    for (size_t s = 0; s < more.streams.size(); ++s) {
      const TransferStream& from = more.streams[s];
      const TransferStream& to = all.streams[streams + s];
      EXPECT_EQ(all.names[to.processor], more.names[from.processor]);
      for (size_t i = 0; i < from.records.size(); ++i) {
        EXPECT_EQ(all.names[to.records[i].name], more.names[from.records[i].name]);
        EXPECT_EQ(all.networks[to.records[i].network], more.networks[from.records[i].network]);
      }
    }
  }
}

TEST(NocEvents, ReadsAndWritesKeepStatesOfTheirOwn) {
  base::ReadReport report;
  const TransferTrace trace = parse_transfers(
      R"([{"proc":"B","noc":"N","sx":0,"sy":0,"dx":2,"dy":3,"num_bytes":96,"type":"READ_SET_STATE","timestamp":1},
          {"proc":"B","noc":"N","sx":0,"sy":0,"dx":7,"dy":7,"num_bytes":32,"type":"WRITE_SET_STATE","timestamp":2},
          {"proc":"C","noc":"N","sx":0,"sy":0,"num_bytes":0,"type":"READ_WITH_STATE","timestamp":3},
          {"proc":"B","noc":"N","sx":0,"sy":0,"num_bytes":0,"type":"READ_WITH_STATE","timestamp":4},
          {"proc":"B","noc":"N","sx":0,"sy":0,"dx":1,"dy":1,"num_bytes":8,"type":"WRITE_WITH_STATE","timestamp":5},
          {"proc":"B","noc":"N","sx":0,"sy":0,"dx":1,"dy":1,"num_bytes":8,"type":"WRITE_FLUSH","timestamp":6},
          {"proc":"B","noc":"N","sx":0,"sy":0,"mcast_end_x":4,"mcast_end_y":5,"num_bytes":8,"type":"WRITE_MULTICAST",
           "timestamp":7}])",
      "e.json",
      {},
      report);
  ASSERT_EQ(trace.streams.size(), 2U);
  const auto& b = trace.streams[0].records;
  const auto& c = trace.streams[1].records;
  EXPECT_EQ(c[0].kind, TransferKind::Other);  // another processor: no state was set there
  EXPECT_EQ(b[2].peer, (Place{0, 2, 3}));
  EXPECT_EQ(b[2].bytes, 96U);
  EXPECT_EQ(b[3].peer, (Place{0, 1, 1}));  // what it says itself stands
  EXPECT_EQ(b[3].bytes, 8U);
  EXPECT_EQ(b[4].kind, TransferKind::Other);
  EXPECT_EQ(b[5].kind, TransferKind::Write);
  EXPECT_EQ(b[5].peer, (Place{0, 4, 5}));
}

TEST(NocEvents, AnEndClosesOnlyItsOwnKindRightBefore) {
  base::ReadReport report;
  const TransferTrace trace = parse_transfers(
      R"([{"proc":"B","sx":0,"sy":0,"type":"READ_BARRIER_START","timestamp":5},
          {"proc":"B","sx":0,"sy":0,"type":"WRITE_BARRIER_END","timestamp":9},
          {"proc":"B","sx":0,"sy":0,"type":"WRITE_BARRIER_START","timestamp":20},
          {"proc":"B","sx":0,"sy":0,"type":"WRITE_BARRIER_END","timestamp":10}])",
      "e.json",
      {},
      report);
  const auto& r = trace.streams.at(0).records;
  ASSERT_EQ(r.size(), 4U);
  EXPECT_EQ(r[0].end, kNoTime);
  EXPECT_EQ(r[1].begin, r[1].end);
  EXPECT_EQ(r[2].end, kNoTime);  // an end before its start closes nothing
  EXPECT_EQ(r[3].sources, 1U);
}

TEST(Topology, WhatIsMissingIsSaidWithItsPlace) {
  TransferTrace trace;
  const auto error = [&](const std::string& text) {
    return base::test::error_of([&] {
      parse_topology(text, "top.json", trace);
    });
  };
  EXPECT_THAT(error("[]"), HasSubstr("top.json"));
  EXPECT_THAT(error("{}"), HasSubstr("eth_chan_to_coord"));
  EXPECT_THAT(error(R"({"eth_chan_to_coord":{"a":[1,2]}})"), HasSubstr("[x, y]"));
  EXPECT_THAT(error(R"({"eth_chan_to_coord":{"0":[1]}})"), HasSubstr("[x, y]"));
  EXPECT_THAT(error(R"({"eth_chan_to_coord":{"0":[1,2]}})"), HasSubstr("inter_device_channel_pairs"));
  EXPECT_THAT(
      error(R"({"eth_chan_to_coord":{"0":[1,2]},"inter_device_channel_pairs":[{"local_eth_channel":0}]})"),
      HasSubstr("local_device_id"));
  EXPECT_TRUE(trace.joints.empty());
}

}  // namespace
}  // namespace lento::chip
