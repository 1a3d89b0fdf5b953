// Pages of links and counters, made up with a fault and with none, through recognition, reader and judges.
#include <gtest/gtest.h>

#include <algorithm>

#include "desk/formats/formats.h"
#include "desk/incident/incident.h"
#include "desk/read/log_file.h"

namespace lento::desk {
namespace {

// One file a host, "h0" and on.
finding::Diagnosis judged(const std::vector<std::string>& files) {
  static const LogReader reader(all_formats());
  Records records;
  std::map<int32_t, Subject> names;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string name = "h" + std::to_string(i);
    reader.read_text(files[i], name, records);
    names[int32_t(i)] = {name, "", ""};
  }
  records.name_by_files(names);
  return judge_incident(records);
}

std::string lspci(int bus, const std::string& status) {
  char text[400];
  std::snprintf(
      text,
      sizeof text,
      "%02x:00.0 Processing accelerators: Maker Accelerator (rev 02)\n"
      "\tControl: I/O- Mem+ BusMaster+\n"
      "\t\tLnkCap:\tPort #1, Speed 16GT/s, Width x16, ASPM not supported\n"
      "\t\tLnkSta:\t%s\n"
      "\t\tLnkCap2: Supported Link Speeds: 2.5-16GT/s\n",
      unsigned(bus),
      status.c_str());
  return text;
}

// A counter that was cleared leaves three values that all differ as texts.
TEST(PortCounters, AFindingAmongThreePeersSaysWhatWasLookedAt) {
  const auto page = [](const char* errors) {
    return "# Port counters: Lid 5 port 1 (CapMask: 0x5A00)\nSymbolErrorCounter:..............." +
           std::string(errors) + "\n";
  };
  const finding::Diagnosis found = judged({page("0"), page("5") + page("0"), page("40193")});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "h2/lid5/1");
  EXPECT_FALSE(found.covered.empty());
}

TEST(Lspci, TheLinkBelowWhatItCanDoIsNamed) {
  std::string text;
  for (int i = 0; i < 6; ++i)
    text += lspci(
        0x21 + i,
        i == 4 ? "Speed 16GT/s (ok), Width x4 (downgraded)" : "Speed 16GT/s (ok), Width x16 (ok)");
  const finding::Diagnosis found = judged({text});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_NE(found.findings[0].subject.find("0000:25:00.0"), std::string::npos);
  ASSERT_TRUE(found.findings[0].factor.has_value());
  EXPECT_NEAR(*found.findings[0].factor, 4, 0.01);
}

TEST(Lspci, IdleLinksAreNoFault) {
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += lspci(0x21 + i, "Speed 2.5GT/s (downgraded), Width x16 (ok)");
  EXPECT_EQ(judged({text}).outcome, finding::Outcome::CannotJudge);
  text.clear();
  for (int i = 0; i < 4; ++i)
    text += lspci(0x21 + i, "Speed 16GT/s, Width x16");
  EXPECT_EQ(judged({text}).outcome, finding::Outcome::Healthy);
}

TEST(Lspci, ABridgeAndAnUnlistedClassAreNoSubjects) {
  const std::string link =
      "\t\tLnkCap:\tPort #1, Speed 16GT/s, Width x16, ASPM not supported\n"
      "\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x1 (downgraded)\n";
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += lspci(0x21 + i, "Speed 16GT/s, Width x16") + "30:00.0 Odd class: Maker\n" + link +
            "31:00.0 PCI bridge: Maker Bridge\n" + link;
  EXPECT_EQ(judged({text}).outcome, finding::Outcome::Healthy);
}

std::string
ibstatus(int card, const std::string& rate, const std::string& layer, const char* state = "4: ACTIVE") {
  return "Infiniband device 'mlx5_" + std::to_string(card) + "' port 1 status:\n\tstate:\t\t " + state +
         "\n\tphys state:\t 5: LinkUp\n\trate:\t\t " + rate + "\n\tlink_layer:\t " + layer + "\n\n";
}

TEST(Ibstatus, ThePortOnFewerLanesIsNamed) {
  std::string text;
  for (int i = 0; i < 5; ++i)
    text += ibstatus(i, i == 2 ? "50 Gb/sec (1X HDR)" : "200 Gb/sec (4X HDR)", "InfiniBand");
  const finding::Diagnosis found = judged({text});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "h0/mlx5_2");
  EXPECT_NEAR(found.findings[0].factor.value_or(0), 4, 1e-9);
}

TEST(Ibstatus, AStoragePortOfAnotherLayerIsNoPeer) {
  std::string text;
  for (int i = 0; i < 5; ++i)
    text += ibstatus(i, "200 Gb/sec (4X HDR)", "InfiniBand");
  text += ibstatus(5, "25 Gb/sec (1X EDR)", "Ethernet");
  EXPECT_EQ(judged({text}).outcome, finding::Outcome::Healthy);
  text += ibstatus(6, "10 Gb/sec (4X SDR)", "InfiniBand", "1: DOWN");
  const finding::Diagnosis found = judged({text});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "h0/mlx5_6");
}

TEST(Ibstat, PortsOfAnotherCardTypeAreNoPeers) {
  const auto card = [](int i, const char* type, const char* rate) {
    return "CA 'mlx5_" + std::to_string(i) + "'\n\tCA type: " + type +
           "\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: " + rate +
           "\n\t\tLink layer: InfiniBand\n";
  };
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += card(i, "MT4129", "400");
  EXPECT_EQ(judged({text + card(4, "MT4123", "100")}).outcome, finding::Outcome::Healthy);
  const finding::Diagnosis found = judged({text + card(4, "MT4129", "100")});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "h0/mlx5_4");
}

std::string ethtool(int host, int sent, int received) {
  return "NIC statistics:\n     rx_packets: " + std::to_string(1000000 + 77 * host) +
         "\n     tx_prio4_pause: " + std::to_string(sent) +
         "\n     rx_prio4_pause: " + std::to_string(received) + "\n     rx_discards_phy: 0\n";
}

TEST(Ethtool, TheSenderOfPausesIsNamedAndTheReceiverIsNot) {
  std::vector<std::string> healthy;
  std::vector<std::string> files;
  for (int i = 0; i < 6; ++i) {
    healthy.push_back(ethtool(i, 30 + i * 3 % 7, 20 + i));
    files.push_back(ethtool(i, i == 3 ? 70000 : 30 + i * 3 % 7, i == 5 ? 70000 : 20 + i));
  }
  EXPECT_EQ(judged(healthy).outcome, finding::Outcome::Healthy) << judged(healthy).verdict;
  const finding::Diagnosis found = judged(files);
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "h3");
  EXPECT_NE(found.findings[0].next_step.find("too slowly"), std::string::npos);
}

TEST(Sysfs, CountersOfRdmaDevicesMeetUnderOneName) {
  std::string text;
  for (int i = 0; i < 6; ++i)
    text += "/sys/class/infiniband/mlx5_" + std::to_string(i) +
            "/ports/1/hw_counters/out_of_sequence:" + (i == 1 ? "88000" : "3") + "\n";
  const finding::Diagnosis found = judged({text});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "h0/mlx5_1");
  std::string rdma;
  for (int i = 0; i < 6; ++i)
    rdma += "link mlx5_" + std::to_string(i) + "/1 rx_write_requests 5 out_of_buffer 0 out_of_sequence " +
            (i == 1 ? "88000" : "3") + " packet_seq_err 0\n";
  EXPECT_EQ(judged({rdma}).findings.size(), 1u);
}

TEST(Perfquery, DotsBeforeAValueAreNoPartOfIt) {
  std::vector<std::string> files;
  for (int i = 0; i < 6; ++i)
    files.push_back(
        "# Port counters: Lid 7 port 1 (CapMask: 0x5A00)\nPortSelect:......................1\n"
        "SymbolErrorCounter:.............." +
        std::to_string(i == 2 ? 41000 : i) + "\nPortXmitWait:....................." +
        std::to_string(900 * i) + "\n");
  const finding::Diagnosis found = judged(files);
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "h2/lid7/1");
}

TEST(Mlxlink, AFindingOfTheFirmwareIsAnEvent) {
  const auto page = [](int code, const char* what) {
    return "Operational Info\n----------------\nState                              : Active\n"
           "Speed                              : IB-HDR\nWidth                              : 4x\n"
           "Troubleshooting Info\n--------------------\nStatus Opcode                      : " +
           std::to_string(code) + "\nRecommendation                     : " + what + "\n";
  };
  EXPECT_EQ(judged({page(0, "No issue was observed")}).outcome, finding::Outcome::Healthy);
  const finding::Diagnosis found = judged({page(15, "Bad signal integrity")});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_NE(found.verdict.find("Bad signal integrity"), std::string::npos);
}

std::string subnet_log(const std::vector<const char*>& lines) {
  std::string text = "Nov 27 10:00:01 123456 [A1B2C700] 0x02 -> SUBNET UP\n";
  int minute = 1;
  for (const char* line : lines) {
    char prefix[80];
    std::snprintf(prefix, sizeof prefix, "Nov 27 11:%02d:00 123456 [A1B2C700] 0x02 -> ", minute++);
    text += prefix + std::string(line) + "\n";
  }
  return text + "Nov 27 12:00:01 123456 [A1B2C700] 0x02 -> SUBNET UP\n";
}

std::string left(const std::string& node) {
  return "drop_mgr_remove_port: Removed port with GUID:0x0c42a10300a1b2c3 LID range [37, 37] of node:" + node;
}

// A host that restarts leaves once and comes back. One that stays away, or whose switch port flaps, is named.
TEST(SubnetManager, WhatLeavesTheFabricForGoodIsNamed) {
  constexpr const char* kDown =
      "osm_pi_rcv_process: Switch 0x200000 leaf3 port 7 changed state from ACTIVE to DOWN";
  constexpr const char* kUp =
      "osm_pi_rcv_process: Switch 0x200000 leaf3 port 7 changed state from DOWN to INIT";
  constexpr const char* kCame =
      "state_mgr_report_new_ports: Discovered new port with GUID:0x0c42a10300a1b2c3 LID range [37,37] of "
      "node:gpu07 mlx5_0";
  const std::string gone = left("gpu07 mlx5_0");
  const auto healthy = judged({subnet_log({})});
  EXPECT_EQ(healthy.outcome, finding::Outcome::Healthy);
  EXPECT_NE(healthy.covered.find("subnet manager"), std::string::npos);
  EXPECT_TRUE(judged({subnet_log({kDown, kUp, gone.c_str(), kCame})}).findings.empty());
  const auto found = judged({subnet_log({gone.c_str()})});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "gpu07/mlx5_0");
  EXPECT_EQ(found.findings[0].category, "faulty link");
  const auto flaps = judged({subnet_log({kDown, kUp, kDown, kUp})});
  ASSERT_EQ(flaps.findings.size(), 1u);
  EXPECT_EQ(flaps.findings[0].subject, "leaf3/port 7");
  EXPECT_NE(flaps.findings[0].summary.find("2 times, 11-27 11:01"), std::string::npos);
}

TEST(SubnetManager, HostsBehindOneSwitchAreNotAccusedOneByOne) {
  const std::string nodes[] = {left("gpu01 mlx5_0"), left("gpu02 mlx5_0"), left("gpu03 mlx5_0")};
  const auto together = judged({subnet_log({nodes[0].c_str(), nodes[1].c_str(), nodes[2].c_str()})});
  ASSERT_EQ(together.findings.size(), 1u);
  EXPECT_EQ(together.findings[0].subject, "the fabric");
  const std::string second = left("gpu01 mlx5_1");
  const auto host = judged({subnet_log({nodes[0].c_str(), second.c_str()})});
  ASSERT_EQ(host.findings.size(), 1u);
  EXPECT_EQ(host.findings[0].subject, "gpu01");
}

TEST(SubnetManager, NoticesOfAPortAreItsEvents) {
  const auto found = judged({subnet_log(
      {"log_trap_info: Received Generic Notice type:0 num:131 (Flow Control Update watchdog timer expired) "
       "Producer:2 (Switch) from LID:14 Port 7 TID:0x0000000000000004",
       "log_trap_info: Received Generic Notice type:1 num:128 (Link state change) Producer:2 (Switch) from "
       "LID:14 TID:0x0000000000000003"})});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "LID 14/port 7");
}

TEST(FabricLinks, ABlockOfACardNamesTheCard) {
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += "CA: tern-0" + std::to_string(i) + " mlx5_0:\n      0xa088c203002a1b10    200    1[  ] ==( " +
            (i == 2 ? "2" : "4") +
            "X        106.25 Gbps Active/  LinkUp)==>      41    5[  ] \"MF0;leaf-03:MQM9700/U1\" ( " +
            (i == 2 ? "Could be 4X" : "") + " )\n";
  const finding::Diagnosis found = judged({text});
  ASSERT_EQ(found.findings.size(), 1u) << found.verdict;
  EXPECT_EQ(found.findings[0].subject, "tern-02/mlx5_0");
}

}  // namespace
}  // namespace lento::desk
