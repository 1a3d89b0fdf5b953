// Files that an operator holds, made up with one fault, with a difference that is none, or with a line that
// nothing understands: the verdict names the part, names none, or leaves a question open.
#include <gtest/gtest.h>

#include <map>

#include "desk/read/journal.h"
#include "desk/test_files.h"

namespace lento::desk {
namespace {

using finding::Outcome;
using test::format;
using test::judge;

std::string subject_of(const finding::Diagnosis& found) {
  return found.findings.empty() ? "" : found.findings[0].subject;
}

// Judges one file of each host.
finding::Diagnosis judge_hosts(const std::vector<std::string>& files) {
  static const LogReader reader(all_formats());
  Records records;
  std::map<int32_t, Subject> names;
  for (size_t i = 0; i < files.size(); ++i) {
    reader.read_text(files[i], "file" + std::to_string(i), records);
    names[int32_t(i)] = {"h" + std::to_string(i), "", ""};
  }
  records.name_by_files(names);
  return judge_incident(records);
}

// A page of an exporter with four GPUs.
std::string scrape(int host, int clock, int load, int hot, int failure, int power) {
  std::string text;
  for (const auto& [name, value, other] :
       {std::tuple{"SM_CLOCK", clock, clock},
        std::tuple{"GPU_UTIL", load, load},
        std::tuple{"GPU_TEMP", hot, 55 + host},
        std::tuple{"ROW_REMAP_FAILURE", failure, 0},
        std::tuple{"POWER_USAGE", power + host, power + host}})
    for (int gpu = 0; gpu < 4; ++gpu)
      text += format(
          "DCGM_FI_DEV_%s{gpu=\"%d\",Hostname=\"n%02d\"} %d\n",
          name,
          gpu,
          host,
          gpu == 2 ? value : other);
  return text;
}

finding::Diagnosis judge_scrapes(const std::string& odd) {
  std::vector<std::string> pages;
  for (int host = 0; host < 6; ++host)
    pages.push_back(host == 4 ? odd : scrape(host, 1755, 97 + host % 3, 56, 0, 610));
  return judge(pages);
}

TEST(OperatorFiles, AScrapeNamesWhatItStates) {
  EXPECT_EQ(judge_scrapes(scrape(4, 1755, 98, 57, 0, 610)).outcome, Outcome::Healthy);
  EXPECT_EQ(subject_of(judge_scrapes(scrape(4, 1755, 98, 57, 1, 610))), "n04/gpu2");
  EXPECT_EQ(subject_of(judge_scrapes(scrape(4, 1755, 98, 93, 0, 610))), "n04/gpu2");
  EXPECT_EQ(subject_of(judge_scrapes(scrape(4, 990, 98, 57, 0, 610))), "n04");
}

TEST(OperatorFiles, AnIdleOrLessBusyHostRaisesAQuestionAndIsNotAccused) {
  for (const std::string& odd : {scrape(4, 345, 0, 57, 0, 70), scrape(4, 1755, 98, 57, 0, 210)}) {
    const finding::Diagnosis found = judge_scrapes(odd);
    EXPECT_EQ(found.outcome, Outcome::CannotJudge) << found.verdict;
    EXPECT_NE(found.reason.find("n04 has "), std::string::npos) << found.reason;
  }
}

std::string smi_box(int hot, int cap, int use) {
  std::string text =
      "| NVIDIA-SMI 550.54    Driver Version: 550.54    CUDA Version: 12.4 |\n| GPU  Name  Bus-Id |\n";
  for (int gpu = 0; gpu < 8; ++gpu) {
    const bool is_odd = gpu == 5;
    text += format("|   %d  NVIDIA H200    On  |   00000000:%d1:00.0 Off |        0 |\n", gpu, gpu + 1);
    text += format(
        "| N/A   %dC    P0   %dW /  %dW |  90000MiB / 143771MiB |  %d%%   Default |\n",
        is_odd ? hot : 50 + gpu,
        is_odd && use == 0 ? 120 : 610 + gpu,
        is_odd ? cap : 700,
        is_odd ? use : 99);
  }
  return text;
}

TEST(OperatorFiles, TheTableOfASmiNamesHeatAndLimits) {
  EXPECT_EQ(judge({smi_box(55, 700, 99)}).outcome, Outcome::Healthy);
  EXPECT_EQ(subject_of(judge({smi_box(92, 700, 99)})), "gpu5");
  EXPECT_EQ(subject_of(judge({smi_box(55, 450, 99)})), "gpu5");
  EXPECT_EQ(judge({smi_box(55, 700, 0)}).outcome, Outcome::CannotJudge);
}

std::string smi_page(const char* drain) {
  return format(
      "==============NVSMI LOG==============\n\nGPU 00000000:41:00.0\n    Product Name : NVIDIA A100\n"
      "    GPU Reset Status\n        Reset Required : No\n        Drain and Reset Recommended : %s\n",
      drain);
}

TEST(OperatorFiles, ADriverThatRecommendsAResetIsQuoted) {
  EXPECT_EQ(subject_of(judge({smi_page("Yes")})), "0000:41:00.0");
  EXPECT_TRUE(judge({smi_page("No")}).findings.empty());
}

TEST(OperatorFiles, ASlotThatLimitsOneCardIsNamed) {
  const std::string healthy =
      "[   15.334333] mlx5_core 0000:18:00.0: 252.048 Gb/s available PCIe bandwidth "
      "(16.0 GT/s PCIe x16 link)\n";
  const std::string limited =
      "[   15.334333] mlx5_core 0000:18:00.0: 63.008 Gb/s available PCIe bandwidth, "
      "limited by 16.0 GT/s PCIe x4 link at 0000:15:01.0 (capable of 252.048 Gb/s with "
      "16.0 GT/s PCIe x16 link)\n";
  const auto of_host = [](int host, std::string line) {
    return line.insert(0, format("2026-03-04T05:06:07+00:00 n%02d kernel: ", host));
  };
  std::string text;
  for (int host = 0; host < 5; ++host)
    text += of_host(host, host == 3 ? limited : healthy);
  EXPECT_EQ(subject_of(judge({text})), "n03/0000:18:00.0");
  EXPECT_EQ(judge({limited}).outcome, Outcome::CannotJudge);
}

TEST(OperatorFiles, ALineAtTheLevelOfAnErrorForbidsThePlainAllClear) {
  const std::string log =
      "[Mar 04 2026 05:06:07] [INFO] [tid 7] Fabric Manager version 560.28 is running with the following\n";
  EXPECT_EQ(judge({log}).outcome, Outcome::Healthy);
  const finding::Diagnosis found =
      judge({log + "[Mar 04 2026 05:06:08] [ERROR] [tid 7] training failed on link 4 of GPU 6\n"});
  EXPECT_EQ(found.outcome, Outcome::CannotJudge) << found.verdict;
  EXPECT_NE(found.reason.find("training failed on link 4"), std::string::npos) << found.reason;
}

TEST(OperatorFiles, ALossThatIsNoNumberIsNoHealthyRun) {
  const auto log = [](int from) {
    std::string text;
    for (int i = 1; i <= 40; ++i)
      text += format(
          " iteration %d/ 900 | consumed samples: %d | elapsed time per iteration (ms): %d.0 | global batch "
          "size: 64 | lm loss: %s | loss scale: 1.0 |\n",
          i,
          i * 64,
          2000 + i % 7,
          i >= from ? "nan" : "2.1E+00");
    return text;
  };
  EXPECT_EQ(judge({log(99)}).outcome, Outcome::Healthy);
  EXPECT_EQ(judge({log(40)}).findings.size(), 0u);  // one step, as a scale of the loss is sought
  const finding::Diagnosis found = judge({log(30)});
  ASSERT_EQ(found.findings.size(), 1u) << found.verdict;
  EXPECT_NE(found.verdict.find("loss is not a number in 11 lines"), std::string::npos) << found.verdict;
}

TEST(OperatorFiles, AllocatableBelowCapacityNamesTheNode) {
  const auto page = [](int gpus) {
    return format(
        "Name:   n17\nConditions:\n  Type   Status  LastHeartbeatTime  LastTransitionTime  Reason  Message\n"
        "  Ready  True    Fri, 27 Feb 2026 10:00:00 +0000  Fri, 27 Feb 2026 09:00:00 +0000  KubeletReady  "
        "ok\n"
        "Capacity:\n  cpu:  96\n  nvidia.com/gpu:  4\nAllocatable:\n  cpu:  95\n  nvidia.com/gpu:  %d\n",
        gpus);
  };
  EXPECT_EQ(judge({page(4)}).outcome, Outcome::Healthy);
  EXPECT_EQ(subject_of(judge({page(3)})), "n17");
}

TEST(OperatorFiles, AHostThatCountsForLongerIsNotAccused) {
  const auto counters = [](double times, int pauses) {
    return format(
        "NIC statistics:\n     rx_packets: %.0f\n     tx_packets: %.0f\n     rx_out_of_buffer: %.0f\n"
        "     tx_prio3_pause: %.0f\n",
        7e9 * times,
        6e9 * times,
        350 * times,
        pauses * times);
  };
  std::vector<std::string> files(6, counters(1, 7000));
  files[2] = counters(9, 7000);
  EXPECT_EQ(judge_hosts(files).outcome, Outcome::Healthy) << judge_hosts(files).verdict;
  files[2] = counters(1, 90000);
  EXPECT_EQ(subject_of(judge_hosts(files)), "h2");
}

TEST(OperatorFiles, AFullCounterOfOnePortIsAQuestion) {
  const finding::Diagnosis found =
      judge({"# Port counters: Lid 9 port 1 (CapMask: 0x5A00)\nSymbolErrorCounter:......65535\n"});
  EXPECT_EQ(found.outcome, Outcome::CannotJudge);
  EXPECT_NE(found.reason.find("SymbolErrorCounter is full"), std::string::npos) << found.reason;
}

TEST(OperatorFiles, ADriveWithoutAMediumIsNoFault) {
  const std::string line = "[   12.000000] blk_update_request: I/O error, dev %s, sector 0 op 0x0:(READ)\n";
  EXPECT_TRUE(judge({format(line.c_str(), "fd0")}).findings.empty());
  EXPECT_EQ(judge({format(line.c_str(), "sdb")}).findings.size(), 1u);
}

// 24 jobs on eight nodes, of which the scheduler lost each third. Node 6 is in all of those, and in some that
// completed. `twins`: three more nodes have the same jobs.
std::string jobs_table(bool twins) {
  std::string text = "JobID|JobName|NodeList|State|ExitCode|Elapsed\n";
  for (int i = 0; i < 24; ++i) {
    const bool is_lost = i % 3 == 0;
    const std::string with = is_lost || i % 8 == 1 ? twins ? "n[6-9]," : "n6," : "";
    text += format(
        "%d|j|%sn%d|%s|0:0|01:00:00\n",
        500 + i,
        with.c_str(),
        i % 5,
        is_lost ? "NODE_FAIL" : "COMPLETED");
  }
  return text;
}

TEST(OperatorFiles, ANodeThatLosesSomeOfItsJobsIsFoundByItsShare) {
  EXPECT_EQ(subject_of(judge({jobs_table(false)})), "n6");
  const finding::Diagnosis found = judge({jobs_table(true)});
  EXPECT_EQ(found.outcome, Outcome::CannotJudge) << found.verdict;
  EXPECT_NE(found.reason.find("n6, n7, n8, n9 were in each of the 8 jobs"), std::string::npos)
      << found.reason;
}

TEST(OperatorFiles, EnvelopesNameTheHost) {
  const char* xid =
      "NVRM: Xid (PCI:0000:5d:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.";
  const char* other = "usb 1-1: new device";
  for (const char* line :
       {"<4>1 2026-03-04T05:06:07.123Z %s kernel - - - %s\n",
        "[  816.123456] %s kernel: %s\n",
        "{\"labels\": {\"host\": \"%s\"}, \"timestamp\": \"2026-03-04T05:06:07Z\", \"line\": \"%s\"}\n",
        "{\n    \"_HOSTNAME\": \"%s\",\n    \"__REALTIME_TIMESTAMP\": \"1772600000000000\",\n"
        "    \"MESSAGE\": \"%s\"\n}\n"}) {
    std::string text;
    for (const char* host : {"n-11", "n-12", "n-13"})
      text += format(line, host, other) + format(line, host, host[3] == '2' ? xid : other);
    EXPECT_EQ(subject_of(judge({head_as_log_lines(text)})), "n-12/0000:5d:00.0") << text;
  }
  std::string list = "[";
  std::string table = "\"_time\",\"host\",\"_raw\"\n";
  for (const char* host : {"n-11", "n-12", "n-13"}) {
    const char* text = host[3] == '2' ? xid : other;
    list += format(
        "%s{\"jsonPayload\": {\"message\": \"%s\", \"_HOSTNAME\": \"%s\"}, \"timestamp\": "
        "\"2026-03-04T05:06:07Z\"}",
        list.size() > 1 ? ", " : "",
        text,
        host);
    table += format("\"2026-03-04T05:06:07.000+0000\",\"%s\",\"%s\"\n", host, text);
  }
  EXPECT_EQ(subject_of(judge({head_as_log_lines(list + "]\n")})), "n-12/0000:5d:00.0");
  EXPECT_EQ(subject_of(judge({head_as_log_lines(table)})), "n-12/0000:5d:00.0");
}

TEST(OperatorFiles, ASystemLogAndAQueueAreRead) {
  std::string log;
  for (int i = 0; i < 30; ++i)
    log += format(
        "Mar  4 05:06:%02d n17 %s\n",
        i,
        i % 9 == 5 ? "kernel: perf: interrupt took too long" : "CRON[9]: (root)");
  EXPECT_EQ(judge({log}).outcome, Outcome::Healthy);
  const std::string head = "  JOBID PARTITION  NAME  USER ST  TIME  NODES NODELIST(REASON)\n";
  EXPECT_EQ(judge({head + "  71 a x bob R 2:00 2 n[1-2]\n"}).outcome, Outcome::CannotJudge);
  EXPECT_EQ(
      subject_of(judge({head + "  72 a x bob PD 0:00 2 (ReqNodeNotAvail, UnavailableNodes:n5)\n"})),
      "n5");
}

TEST(OperatorFiles, HardwareGoesBeforePrograms) {
  const char* line =
      "2026-03-04T05:0%d:07+00:00 n%d kernel: NVRM: Xid (PCI:0000:5d:00): %d, pid=77, name=python3\n";
  EXPECT_EQ(subject_of(judge({format(line, 1, 2, 13) + format(line, 6, 5, 79)})), "n5/0000:5d:00.0");
}

TEST(OperatorFiles, AMachineThatNoLineNamesIsNotTheJob) {
  const finding::Diagnosis found =
      judge({"[   88.112233] watchdog: BUG: soft lockup - CPU#23 stuck for 22s! [python3:8812]\n"});
  EXPECT_EQ(subject_of(found), "the host of file0");
}

TEST(OperatorFiles, AnXidInAMessageIsDecoded) {
  const finding::Diagnosis found =
      judge({"{\"kind\": \"Event\", \"involvedObject\": {\"kind\": \"Node\", \"name\": \"n17\"}, \"reason\": "
             "\"XidError\", \"type\": \"Warning\", \"message\": \"GPU 6: Xid 79 seen\"}\n"});
  EXPECT_EQ(subject_of(found), "n17/gpu6");
  EXPECT_NE(found.verdict.find("off the bus"), std::string::npos) << found.verdict;
}

TEST(OperatorFiles, APodPageNamesItsNodeAndWhyItsContainerEnded) {
  const finding::Diagnosis found = judge(
      {"Name:   w-3\nNode:   n17/10.0.0.9\nStatus:  Failed\nContainers:\n  main:\n    State:  Terminated\n"
       "      Reason:  OOMKilled\n      Exit Code:  137\n"});
  EXPECT_EQ(subject_of(found), "n17/pod w-3");
  EXPECT_NE(found.verdict.find("want of memory"), std::string::npos) << found.verdict;
  const finding::Diagnosis rejected = judge(
      {"Name:   w-3\nNode:   n17/10.0.0.9\nStatus:  Failed\nReason:  UnexpectedAdmissionError\nContainers:\n"
       "  main:\n    Image:  t:1\n"});
  EXPECT_EQ(subject_of(rejected), "n17/pod w-3");
  EXPECT_EQ(rejected.findings[0].category, "faulty hardware");
}

TEST(OperatorFiles, ALinkWithErrorsIsNamedAmongTheLinksOfOneGpu) {
  std::string text = "GPU 0: NVIDIA H200 (UUID: GPU-0)\n";
  for (int link = 0; link < 8; ++link)
    text += format(
        "\t Link %d: Replay Errors: 0\n\t Link %d: CRC Errors: %d\n",
        link,
        link,
        link == 3 ? 7777 : 0);
  EXPECT_EQ(subject_of(judge({text})), "gpu0 link 3");
}

}  // namespace
}  // namespace lento::desk
