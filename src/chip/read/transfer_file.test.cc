// Readers of data-movement records: small texts whose counts are known, and round trips.
#include "chip/read/transfer_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "base/test_error.h"

namespace lento::chip {
namespace {

using testing::HasSubstr;

TransferTrace parse(const std::string& text, base::ReadReport& report, const std::string& file = "t.json") {
  return parse_transfers(text, file, {}, report);
}

constexpr const char* kEvents = R"([
 {"proc":"BRISC","sx":1,"sy":2,"timestamp":10,"zone":"K","zone_phase":"begin"},
 {"proc":"BRISC","noc":"NOC_1","sx":1,"sy":2,"dx":3,"dy":4,"num_bytes":64,"type":"READ","timestamp":20},
 {"proc":"BRISC","noc":"NOC_1","sx":1,"sy":2,"dx":5,"dy":4,"num_bytes":128,"type":"READ","timestamp":30},
 {"proc":"BRISC","noc":"NOC_1","sx":1,"sy":2,"dx":-1,"dy":-1,"num_bytes":0,"type":"READ_BARRIER_START","timestamp":40},
 {"proc":"BRISC","noc":"NOC_1","sx":1,"sy":2,"dx":-1,"dy":-1,"num_bytes":0,"type":"READ_BARRIER_END","timestamp":90},
 {"proc":"BRISC","sx":1,"sy":2,"timestamp":99,"zone":"K","zone_phase":"end"}])";

TEST(NocEvents, BarriersBecomeGroups) {
  base::ReadReport report;
  const TransferTrace trace = parse(kEvents, report);
  EXPECT_EQ(report.taken, 6U);
  EXPECT_EQ(report.skipped, 0U);
  const TransferCounts counts = count(trace);
  EXPECT_EQ(counts.events, 6U);
  EXPECT_EQ(counts.bytes, 192U);
  EXPECT_EQ(counts.zones_begun, 1U);
  EXPECT_EQ(counts.zones_ended, 1U);
  EXPECT_EQ(counts.peers, 2U);
  const std::vector<TransferGroup> groups = groups_of(trace);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].transfers, 2U);
  EXPECT_EQ(groups[0].bytes, 192U);
  const TransferRecord& wait = trace.streams[0].records[groups[0].wait];
  EXPECT_EQ(wait.begin, 40U);
  EXPECT_EQ(wait.end, 90U);
}

TEST(NocEvents, AMissingEndStaysOpen) {
  base::ReadReport report;
  const TransferTrace trace = parse(
      R"([{"proc":"B","noc":"N","sx":0,"sy":0,"type":"READ_BARRIER_START","timestamp":5},
          {"proc":"B","noc":"N","sx":0,"sy":0,"type":"WRITE_BARRIER_END","timestamp":9}])",
      report);
  const TransferCounts counts = count(trace);
  EXPECT_EQ(counts.groups, 2U);
  EXPECT_EQ(counts.open_groups, 1U);
}

TEST(NocEvents, ZonesFindTheirChipByTheRun) {
  base::ReadReport report;
  const TransferTrace trace = parse(
      R"([{"proc":"B","sx":1,"sy":1,"run_host_id":7,"timestamp":0,"zone":"K","zone_phase":"begin"},
          {"proc":"B","noc":"N","sx":1,"sy":1,"dx":2,"dy":2,"src_device_id":3,"dst_device_id":4,"run_host_id":7,
           "num_bytes":32,"type":"WRITE_","timestamp":8}])",
      report);
  ASSERT_EQ(trace.streams.size(), 1U);
  EXPECT_EQ(trace.streams[0].core, (Place{3, 1, 1}));
  EXPECT_EQ(trace.streams[0].records[1].peer, (Place{4, 2, 2}));
  EXPECT_EQ(trace.streams[0].records[1].kind, TransferKind::Write);
}

TEST(NocEvents, StatesCarryDestinationAndSize) {
  base::ReadReport report;
  const TransferTrace trace = parse(
      R"([{"proc":"B","noc":"N","sx":0,"sy":0,"dx":2,"dy":3,"num_bytes":96,"type":"READ_SET_STATE","timestamp":1},
          {"proc":"B","noc":"N","sx":0,"sy":0,"num_bytes":0,"type":"READ_WITH_STATE","timestamp":2}])",
      report);
  EXPECT_EQ(trace.streams[0].records[0].kind, TransferKind::Other);
  EXPECT_EQ(trace.streams[0].records[1].kind, TransferKind::Read);
  EXPECT_EQ(trace.streams[0].records[1].bytes, 96U);
  EXPECT_EQ(trace.streams[0].records[1].peer, (Place{0, 2, 3}));
}

TEST(NocEvents, TheFileNameMayNameTheChip) {
  base::ReadReport report;
  const TransferTrace trace = parse(
      R"([{"proc":"B","sx":1,"sy":1,"timestamp":0,"zone":"K","zone_phase":"begin"}])",
      report,
      "noc_trace_dev5_op.json");
  EXPECT_EQ(trace.streams[0].core.chip, 5);
}

TEST(NocEvents, BrokenOnesAreCountedWithTheirReason) {
  base::ReadReport report;
  parse(
      R"([{"proc":"B","sx":1,"sy":1,"type":"READ"}, {"timestamp":4,"type":"READ"}, 7,
            {"sx":1,"sy":1,"timestamp":4}])",
      report);
  EXPECT_EQ(report.taken, 0U);
  EXPECT_EQ(report.skipped, 4U);
  EXPECT_EQ(report.reasons["an event without a core"], 1U);
  EXPECT_EQ(report.reasons["neither an event nor a zone"], 1U);
}

TEST(Records, RoundTrip) {
  base::ReadReport report;
  TransferTrace trace = parse(kEvents, report);
  trace.joints.push_back({{0, 1, 2}, {1, 3, 4}});
  const std::string text = print_transfers(trace);
  base::ReadReport again;
  const TransferTrace back = parse(text, again, "r");
  EXPECT_EQ(again.skipped, 0U);
  EXPECT_EQ(print_transfers(back), text);
  EXPECT_EQ(back.joints.size(), 1U);
}

TEST(Records, BadLinesAreSkippedBadHeadsRefused) {
  base::ReadReport report;
  const std::string head =
      "lento-records 2\n{\"networks\":[],\"names\":[\"\"],\"joints\":[]}\n"
      "chip x y processor kind network peer_chip peer_x peer_y bytes begin end name sources\n";
  const TransferTrace trace =
      parse(head + "0 1 1 0 zone 0 0 -1 -1 0 5 - 0 1\n0 1 1 9 zone 0 0 -1 -1 0 5 - 0 1\nx\n", report);
  EXPECT_EQ(report.taken, 1U);
  EXPECT_EQ(report.skipped, 2U);
  EXPECT_THAT(
      base::test::error_of([&] {
        parse("lento-records 2\n{}\n", report);
      }),
      HasSubstr("names"));
}

TEST(Table, ColumnsAreTheUsers) {
  base::ReadReport report;
  TableColumns columns;
  columns.component = "who";
  columns.start = "t0";
  columns.end = "t1";
  const TransferTrace trace = parse_transfers(
      "who,kind,peer,bytes,t0,t1,layer\n1-2,read,3-4,64,10,20,conv1\n2:1-2,compute,,9,30,50,conv1\n1-2,jump,"
      "1-1,1,2,3,x\n",
      "t.csv",
      columns,
      report);
  EXPECT_EQ(report.taken, 2U);
  EXPECT_EQ(report.skipped, 1U);
  ASSERT_EQ(trace.streams.size(), 2U);
  EXPECT_EQ(trace.streams[0].records[0].end, 20U);
  EXPECT_EQ(trace.streams[1].core, (Place{2, 1, 2}));
  EXPECT_EQ(trace.names[trace.streams[0].records[0].name], "conv1");
}

TEST(Table, AnyDelimiter) {
  base::ReadReport report;
  const TransferTrace trace =
      parse_transfers("component;peer;kind;start\n1-2;3,4;read;10\n", "t.csv", TableColumns(), report);
  ASSERT_EQ(trace.streams.size(), 1U);
  EXPECT_EQ(trace.streams[0].records[0].peer, (Place{0, 3, 4}));
}

TEST(Table, AMissingColumnIsNamed) {
  base::ReadReport report;
  EXPECT_THAT(
      base::test::error_of([&] {
        parse("componet,start\n1-1,2\n", report, "t.csv");
      }),
      HasSubstr("no column 'component'"));
}

TEST(ProfileLog, BothGenerationsOfColumns) {
  base::ReadReport report;
  const TransferTrace newer = parse(
      "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\n"
      "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host "
      "ID, trace id,"
      " trace id counter, zone name, type, source line, source file, meta data\n"
      "0,1,2,BRISC,5,1000,0,1,,,BRISC-KERNEL,ZONE_START,1,a.cc,\n0,1,2,BRISC,6,1500,0,1,,,BRISC-KERNEL,ZONE_"
      "END,1,a.cc,\n",
      report,
      "profile_log_device.csv");
  EXPECT_EQ(count(newer).zones_begun, 1U);
  EXPECT_EQ(count(newer).zones_ended, 1U);
  EXPECT_EQ(newer.clock_hz.at(0), 1e9);
  EXPECT_EQ(parse(print_transfers(newer), report, "records").clock_hz.at(0), 1e9);
  const TransferTrace older = parse(
      "ARCH: grayskull, CHIP_FREQ[MHz]: 1200\n"
      "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], stat value, run "
      "ID,"
      " run host ID, zone name, zone phase, source line, source file\n"
      "1,1,1,TRISC_0,3,77,0,0,2,T-FW,begin,1,b.cc\nbroken\n",
      report,
      "profile_log_device.csv");
  EXPECT_EQ(older.streams[0].core.chip, 1);
  EXPECT_EQ(count(older).zones_begun, 1U);
  EXPECT_EQ(report.skipped, 1U);
}

TEST(Topology, JoinsChipsAtTheirChannels) {
  TransferTrace trace;
  parse_topology(
      R"({"eth_chan_to_coord":{"0":[9,0],"8":[9,6]},"inter_device_channel_pairs":[
      {"local_device_id":4,"local_eth_channel":0,"remote_device_id":0,"remote_eth_channel":8}]})",
      "top.json",
      trace);
  ASSERT_EQ(trace.joints.size(), 1U);
  EXPECT_EQ(trace.joints[0].from, (Place{4, 9, 0}));
  EXPECT_EQ(trace.joints[0].to, (Place{0, 9, 6}));
  EXPECT_THAT(
      base::test::error_of([&] {
        parse_topology(
            R"({"eth_chan_to_coord":{},"inter_device_channel_pairs":[
      {"local_device_id":4,"local_eth_channel":0,"remote_device_id":0,"remote_eth_channel":8}]})",
            "top.json",
            trace);
      }),
      HasSubstr("does not place"));
}

}  // namespace
}  // namespace lento::chip
