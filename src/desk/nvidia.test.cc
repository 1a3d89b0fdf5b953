// Pages of GPUs' tools, made up with a fault and with none, through recognition, reader and judges.
#include <gtest/gtest.h>

#include <algorithm>

#include "desk/formats/formats.h"
#include "desk/incident/incident.h"
#include "desk/read/log_file.h"

namespace lento::desk {
namespace {

finding::Diagnosis judged(const std::string& text, const std::string& family = "nvidia") {
  static const LogReader reader(all_formats());
  Records records;
  reader.read_text(text, "h0", records);
  EXPECT_TRUE(records.files[0].recognised()) << records.files[0].reason << text.substr(0, 200);
  if (records.files[0].recognised()) {
    EXPECT_EQ(reader.recognise(text).format->family, family);
  }
  records.name_by_files({{0, {"h0", "", ""}}});
  return judge_incident(records);
}

// The kernel names a GPU by its address and nvidia-smi by its number.
TEST(Records, OneDeviceUnderTwoNames) {
  static const LogReader reader(all_formats());
  Records records;
  std::string table = "index, pci.bus_id, clocks.sm [MHz], utilization.gpu [%]\n";
  for (int gpu = 0; gpu < 8; ++gpu) {
    char line[100];
    std::snprintf(
        line,
        sizeof line,
        "%d, 00000000:%02X:00.0, %d MHz, 99 %%\n",
        gpu,
        unsigned(0x1a + gpu),
        gpu == 3 ? 900 : 1980);
    table += line;
  }
  reader.read_text(table, "smi", records);
  reader.read_text(
      "Nov 20 09:12:33 h0 kernel: NVRM: Xid (PCI:0000:1d:00): 79, GPU has fallen off the bus.\n",
      "log",
      records);
  records.name_by_files({{0, {"h0", "", ""}}});
  const auto found = judge_incident(records);
  ASSERT_EQ(found.findings.size(), 1u) << found.verdict;
  EXPECT_EQ(found.findings[0].subject, "h0/gpu3");
}

void expect_subject(const finding::Diagnosis& found, const std::string& subject) {
  ASSERT_EQ(found.findings.size(), 1u) << found.verdict;
  EXPECT_EQ(found.findings[0].subject, subject) << found.verdict;
}

// 24 rounds of six GPUs. GPU 4 runs at 900 MHz from round `from` on. Each tool call takes a moment a GPU.
std::string query(int from, const char* clock_unit, const char* header_unit, const char* end = "\n") {
  std::string text = "timestamp, index, name, clocks.sm" + std::string(header_unit) +
                     ", temperature.gpu, clocks_throttle_reasons.active" + end;
  for (int round = 0; round < 24; ++round) {
    for (int gpu = 0; gpu < 6; ++gpu) {
      const bool is_slow = gpu == 4 && round >= from;
      char line[200];
      std::snprintf(
          line,
          sizeof line,
          "2025/03/04 05:%02d:10.0%d0, %d, Maker A100, %d%s, %d, 0x%016x%s",
          round,
          gpu,
          gpu,
          is_slow ? 900 : 1410 - 15 * ((round * 7 + gpu * 5) % 3 == 0),
          clock_unit,
          is_slow ? 91 : 60 + gpu,
          is_slow ? 0x20 : 0x4,
          end);
      text += line;
    }
  }
  return text;
}

TEST(BandwidthMatrix, ASlowDiagonalIsTheMemoryOfItsGpu) {
  std::string text =
      "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D     0     1     2     3 "
      "    4     5     6     7\n";
  for (int row = 0; row < 8; ++row) {
    text += "     " + std::to_string(row);
    for (int column = 0; column < 8; ++column) {
      const bool is_own = row == column;
      const int value = is_own ? (row == 6 ? 700 : 1550 + row) : 92;
      text += " " + std::to_string(value) + "." + std::to_string((3 * row + column) % 7);
    }
    text += "\n";
  }
  expect_subject(judged(text, "bench"), "h0/gpu6");
}

TEST(BandwidthMatrix, OneSlowPairIsTheLinkBetweenTheTwo) {
  for (const bool is_slow : {true, false}) {
    std::string text = "Unidirectional copy peak bandwidth GB/s\n\nD/D  0  1  2  3  4  5  6  7\n";
    for (int row = 0; row < 8; ++row) {
      text += std::to_string(row);
      for (int column = 0; column < 8; ++column) {
        const bool is_pair = is_slow && row + column == 7 && (row == 2 || row == 5);
        text += "  " + std::to_string(is_pair ? 20 : 52) + "." + std::to_string((3 * row + column) % 7);
      }
      text += "\n";
    }
    const finding::Diagnosis found = judged(text, "bench");
    if (is_slow) {
      expect_subject(found, "h0/gpu2, h0/gpu5");
    } else {
      EXPECT_EQ(found.outcome, finding::Outcome::Healthy) << found.verdict;
    }
  }
}

TEST(SmiTable, RowsWithoutAHeader) {
  std::string text;
  for (int gpu = 0; gpu < 8; ++gpu)
    text += std::to_string(gpu) + ", NVIDIA H100 80GB HBM3, " + (gpu == 6 ? "1200" : "1980") + " MHz, 6" +
            std::to_string(gpu) + ", 640.05 W, 99 %\n";
  expect_subject(judged(text), "h0/gpu6");
  const LogReader reader(all_formats());
  EXPECT_EQ(reader.recognise("1, north, 31.50\n2, south, 7.20\n").format, nullptr);
}

// An idle GPU has no clocks worth a comparison. Its reasons and its memory errors can be read all the same.
TEST(SmiTable, OneIdleGpuIsHealthyInWhatItStates) {
  std::string text =
      "timestamp, index, clocks.sm [MHz], clocks_event_reasons.active, "
      "ecc.errors.uncorrected.volatile.total\n";
  for (int second = 10; second < 14; ++second)
    text += "2026/03/04 05:00:" + std::to_string(second) + ".100, 0, 345 MHz, 0x0000000000000001, 0\n";
  const finding::Diagnosis found = judged(text);
  EXPECT_EQ(found.outcome, finding::Outcome::Healthy) << found.verdict;
  const std::string errors = text.substr(0, text.size() - 2) + "3\n";
  EXPECT_EQ(judged(errors).outcome, finding::Outcome::Findings);
}

TEST(SmiTable, TheGpuThatHeatsUpIsNamedWithItsReason) {
  for (const std::string& text :
       {query(10, " MHz", " [MHz]"), query(10, "", " [MHz]", "\r\n"), query(10, "", "")}) {
    const finding::Diagnosis found = judged(text);
    expect_subject(found, "h0/gpu4");
    EXPECT_NE(found.verdict.find("05:10:10"), std::string::npos) << found.verdict;
    EXPECT_TRUE(std::ranges::any_of(found.findings[0].evidence, [](const finding::Evidence& evidence) {
      return evidence.text.find("thermal slowdown by the driver (0x20) at 91 C") != std::string::npos;
    }));
  }
  EXPECT_EQ(judged(query(99, " MHz", " [MHz]")).outcome, finding::Outcome::Healthy);
}

TEST(SmiTable, OneMomentIsCompared) {
  std::string text = "index, clocks.sm [MHz], utilization.gpu [%]\n";
  for (int gpu = 0; gpu < 8; ++gpu)
    text += std::to_string(gpu) + ", " + (gpu == 6 ? "1200" : gpu == 2 ? "1395" : "1410") + " MHz, 99 %\n";
  expect_subject(judged(text), "h0/gpu6");
}

TEST(SmiTable, ALineBeforeTheHeaderAndACutRowChangeNothing) {
  const std::string command =
      "$ nvidia-smi --query-gpu=index,clocks.sm,power.draw,pstate,clocks.max.sm --format=csv\n";
  std::string text = command + "index, power.draw [W], clocks.sm [MHz]\n";
  for (int gpu = 0; gpu < 7; ++gpu)
    text += std::to_string(gpu) + ", 600.00 W, 1410 MHz\n";
  EXPECT_EQ(judged(text + "7, 600.00 W, 14").outcome, finding::Outcome::Healthy);
  expect_subject(judged(text + "7, 600.00 W, 990 MHz\n"), "h0/gpu7");
}

TEST(SmiTable, AnIdleGpuIsNoSlowOne) {
  std::string text = "index, clocks.sm [MHz], utilization.gpu [%]\n";
  for (int gpu = 0; gpu < 8; ++gpu)
    text += std::to_string(gpu) + (gpu == 6 ? ", 210 MHz, 0 %\n" : ", 1410 MHz, 99 %\n");
  EXPECT_EQ(judged(text).outcome, finding::Outcome::Healthy);
}

TEST(SmiTable, ReasonsInColumnsOfTheirOwn) {
  const std::string header =
      "index, clocks_event_reasons.hw_power_brake_slowdown, clocks_event_reasons.sw_power_cap\n";
  expect_subject(
      judged(header + "0, Not Active, Active\n1, Active, Active\n2, Not Active, Active\n"),
      "h0/gpu1");
  EXPECT_TRUE(judged(header + "0, Not Active, Active\n1, Not Active, Active\n").findings.empty());
}

TEST(SmiTable, MemoryThatMustBeReplaced) {
  const std::string header =
      "index,ecc.errors.uncorrected.volatile.total,remapped_rows.pending,remapped_rows.failure\n";
  const finding::Diagnosis found = judged(header + "0,0,No,No\n1,0,No,Yes\n2,0,No,No\n");
  expect_subject(found, "h0/gpu1");
  EXPECT_EQ(judged(header + "0,3,Yes,No\n1,0,No,No\n").findings.at(0).subject, "h0/gpu0");
  EXPECT_TRUE(judged(header + "0,0,No,No\n1,[N/A],[N/A],[N/A]\n").findings.empty());
}

TEST(SmiTable, PowerLimitAndPcieWidth) {
  std::string text = "index, power.limit [W], pcie.link.width.current, pcie.link.width.max\n";
  for (int gpu = 0; gpu < 5; ++gpu)
    text += std::to_string(gpu) + (gpu == 3 ? ", 250.00 W" : ", 400.00 W") + ", 16, 16\n";
  expect_subject(judged(text), "h0/gpu3");
  text += "5, 400.00 W, 8, 16\n";
  EXPECT_EQ(judged(text).findings.size(), 2u);
}

TEST(RocmTable, ClockInParentheses) {
  std::string text = "device,Temperature (Sensor junction) (C),sclk clock speed:,GPU use (%)\n";
  for (int card = 0; card < 6; ++card)
    text += "card" + std::to_string(card) + ",60.0," + (card == 5 ? "(1100Mhz)" : "(2100Mhz)") + ",100\n";
  expect_subject(judged(text), "h0/gpu5");
}

TEST(RocmTable, ColumnsOfAmdSmi) {
  std::string text = "gpu,gfx_activity,umc_activity,socket_power,gfx_0_clk,hotspot\n";
  for (int gpu = 0; gpu < 8; ++gpu)
    text += std::to_string(gpu) + ",100,30,600," + (gpu == 6 ? "1200" : "2100") + ",70\n";
  expect_subject(judged(text), "h0/gpu6");
}

TEST(RocmLines, BecomeRows) {
  std::string text;
  for (int card = 0; card < 6; ++card)
    text += "GPU[" + std::to_string(card) + "]\t\t: sclk clock level: 1: (" + (card == 1 ? "900" : "2100") +
            "Mhz)\n";
  expect_subject(judged(text), "h0/gpu1");
}

std::string page(int bus, const char* thermal, int clock, int uncorrected) {
  char text[1500];
  std::snprintf(
      text,
      sizeof text,
      "GPU 00000000:%02X:00.0\n"
      "    Product Name                          : Maker H200\n"
      "    Clocks Event Reasons\n"
      "        Idle                              : Not Active\n"
      "        SW Power Cap                      : Active\n"
      "        HW Slowdown                       : %s\n"
      "            HW Thermal Slowdown           : %s\n"
      "            HW Power Brake Slowdown       : Not Active\n"
      "    ECC Errors\n"
      "        Volatile\n"
      "            SRAM Correctable              : 0\n"
      "            DRAM Uncorrectable            : %d\n"
      "        Aggregate\n"
      "            DRAM Uncorrectable            : 7\n"
      "    Clocks\n"
      "        SM                                : %d MHz\n"
      "    Max Clocks\n"
      "        SM                                : 1980 MHz\n",
      unsigned(bus),
      thermal,
      thermal,
      uncorrected,
      clock);
  return text;
}

TEST(SmiPage, SectionsDecideWhatAKeyMeans) {
  const std::string title = "==============NVSMI LOG==============\n\nDriver Version : 550.54\n\n";
  std::string healthy = title;
  std::string hot = title;
  std::string errors = title;
  for (int i = 0; i < 6; ++i) {
    healthy += page(0x1b + i, "Not Active", 1980, 0);
    hot += page(0x1b + i, i == 2 ? "Active" : "Not Active", i == 2 ? 1005 : 1980, 0);
    errors += page(0x1b + i, "Not Active", 1980, i == 5 ? 2 : 0);
  }
  EXPECT_EQ(judged(healthy).outcome, finding::Outcome::Healthy) << judged(healthy).verdict;
  expect_subject(judged(hot), "h0/0000:1d:00.0");
  expect_subject(judged(errors), "h0/0000:20:00.0");
}

TEST(Nvlink, AGpuWithFewerLinksOrErrors) {
  const auto text = [](int few, int bad) {
    std::string all;
    for (int gpu = 0; gpu < 8; ++gpu) {
      all += "GPU " + std::to_string(gpu) + ": Maker A100 (UUID: GPU-0-" + std::to_string(gpu) + ")\n";
      for (int link = 0; link < 12; ++link)
        all += "\t Link " + std::to_string(link) +
               (gpu == few && link > 9 ? ": <inactive>\n" : ": 25 GB/s\n") + "\t Link " +
               std::to_string(link) + ": Replay Errors: " + (gpu == bad && link == 3 ? "5000\n" : "0\n");
    }
    return all;
  };
  EXPECT_EQ(judged(text(-1, -1)).outcome, finding::Outcome::Healthy);
  expect_subject(judged(text(2, -1)), "h0/gpu2");
  EXPECT_TRUE(judged(text(-1, -1).substr(0, text(-1, -1).size() - 200)).findings.empty());
  expect_subject(judged(text(-1, 1)), "h0/gpu1");
}

TEST(Topology, TheGpuWithoutItsCard) {
  const auto text = [](const char* third) {
    return std::string("\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\n") +
           "GPU0\t X \tNV12\tNV12\tNV12\tPIX\tSYS\t0-31\t0\nGPU1\tNV12\t X "
           "\tNV12\tNV12\tSYS\tPIX\t0-31\t0\n" +
           "GPU2\tNV12\tNV12\t X \tNV12\t" + third +
           "\tSYS\t32-63\t1\nGPU3\tNV12\tNV12\tNV12\t X \tPIX\tSYS\t32-63\t1\n" +
           "NIC0\tPIX\tSYS\tPIX\tPIX\t X \tSYS\n\nLegend:\n\n  X    = Self\n";
  };
  EXPECT_EQ(judged(text("PIX")).outcome, finding::Outcome::Healthy);
  expect_subject(judged(text("SYS")), "h0/gpu2");
}

TEST(DcgmDiag, AFailedTestIsAnEventOfItsGpu) {
  const std::string old =
      R"({"DCGM GPU Diagnostic": {"test_categories": [{"category": "Integration", "tests": [{"name": "PCIe",
      "results": [{"gpu_ids": "0", "status": "PASS"}, {"gpu_ids": "1", "status": "Fail",
      "warnings": "slow copy"}]}]}]}})";
  expect_subject(judged(old), "h0/gpu1");
  const std::string passed = R"({"DCGM Diagnostic": {"test_categories": [{"category": "Hardware", "tests":
      [{"name": "Memory", "results": [{"entity_id": 0, "status": "Pass"}]}]}]}})";
  EXPECT_EQ(judged(passed).outcome, finding::Outcome::Healthy);
  EXPECT_TRUE(judged(R"({"DCGM Diagnostic": {"test_categories": 3}})").findings.empty());
}

TEST(DcgmDiag, TheTableHasWarningsBehindATest) {
  const std::string head =
      "Successfully ran diagnostic for group.\n"
      "+---------------------------+------------------------------------------------+\n"
      "| Diagnostic                | Result                                         |\n"
      "+===========================+================================================+\n"
      "|-----  Hardware  ----------+------------------------------------------------|\n";
  expect_subject(
      judged(
          head + "| GPU Memory                | Fail - GPU: 2                                  |\n"
                 "| Warning                   | GPU 2 has bad rows                             |\n"
                 "|-----  Stress  ------------+------------------------------------------------|\n"
                 "| Targeted Power            | Pass - All                                     |\n"),
      "h0/gpu2");
  expect_subject(
      judged(
          head + "| memory                    | Fail                                           |\n"
                 "|                           | GPU0: Pass                                     |\n"
                 "|                           | GPU1: Fail                                     |\n"
                 "+-----  Stress  ------------+------------------------------------------------+\n"),
      "h0/gpu1");
  const finding::Diagnosis further = judged(
      head +
      "| PCIe                      | Pass - GPUs: 0, 1                              |\n"
      "|                           | Fail - GPU: 2                                  |\n"
      "| Warning                   | GPU 2 Bandwidth of GPU 2 in direction host to  |\n"
      "|                           | device for pinned memory of 12.81 failed to ex |\n"
      "|                           | ceed minimum required bandwidth of 20.00.      |\n");
  expect_subject(further, "h0/gpu2");
  EXPECT_NE(
      further.verdict.find("host to device for pinned memory of 12.81 failed to exceed"),
      std::string::npos)
      << further.verdict;
  EXPECT_NE(further.findings.at(0).evidence.at(0).text.find("Fail - GPU: 2"), std::string::npos);
  EXPECT_EQ(
      judged(head + "| GPU Memory                | Pass - All                                     |\n")
          .outcome,
      finding::Outcome::Healthy);
}

TEST(Dmon, ColumnsOfBothTools) {
  std::string smi = "# gpu    pwr  gtemp     sm   mclk   pclk\n# Idx      W      C      %    MHz    MHz\n";
  std::string amd = "GPU  POWER  GPU_T  GFX_CLK  GFX%\n";
  std::string dcgm = "#Entity   SMCLK      TMPTR\nID\n";
  for (int round = 0; round < 12; ++round) {
    for (int gpu = 0; gpu < 5; ++gpu) {
      const std::string clock = gpu == 3 ? "1005" : std::to_string(1980 - 15 * ((round + gpu) % 3 == 0));
      smi += "    " + std::to_string(gpu) + "    600     60     99   2619   " + clock + "\n";
      amd += "  " + std::to_string(gpu) + "  600 W  70 \u00b0C  " + clock + " MHz  100 %\n";
      dcgm += "GPU " + std::to_string(gpu) + "     " + clock + "       61\n";
    }
  }
  expect_subject(judged(smi), "h0/gpu3");
  expect_subject(judged(amd), "h0/gpu3");
  expect_subject(judged(dcgm), "h0/gpu3");
}

// nvidia-smi topo -m of four GPUs and one card beside GPU 0. GPU `odd` has no NVLink.
std::string topology(int odd) {
  std::string text = "\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\n";
  for (int row = 0; row < 4; ++row) {
    text += "GPU" + std::to_string(row);
    for (int column = 0; column < 4; ++column)
      text += row == column ? "\t X " : row == odd || column == odd ? "\tSYS" : "\tNV4";
    text += row == 0 ? "\tPIX\t0-47\n" : "\tSYS\t0-47\n";
  }
  return text;
}

TEST(Topology, TheGpuWithoutLinksAloneAndNoneForItsSlot) {
  expect_subject(judged(topology(2)), "h0/gpu2");
  EXPECT_TRUE(judged(topology(-1)).findings.empty());
}

}  // namespace
}  // namespace lento::desk
