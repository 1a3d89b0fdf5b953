#include "desk/general/general.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "desk/general/labels.h"
#include "desk/general/states.h"
#include "desk/read/log_file.h"

namespace lento::desk {
namespace {

Records read(std::string_view text) {
  const LogReader reader(general_formats());
  Records records;
  reader.read_text(text, "a.txt", records);
  return records;
}

Meaning meaning(std::string_view label, std::string_view unit) {
  return measure_of(label, unit).meaning;
}

TEST(Labels, NumbersHaveTheirWordsAndUnits) {
  const auto values =
      labelled_values("iter time: 112.20 ms, Throughput (req/sec): 1,024.5 x=22.8K wps \"58.1\"");
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0].label, "iter time");
  EXPECT_EQ(values[0].unit, "ms");
  EXPECT_EQ(values[1].label, "Throughput");
  EXPECT_EQ(values[1].unit, "req/sec");
  EXPECT_EQ(values[1].value, 1024.5);
  EXPECT_EQ(values[2].value, 22800);
  EXPECT_EQ(values[3].label, "wps");
}

TEST(Labels, DatesAddressesAndNamesAreNoNumbers) {
  EXPECT_TRUE(labelled_values("2026-11-20 09:01:02 10.2.0.1 gpu034 bf16 0x1f 3rd").empty());
}

// Each of them could begin a part in brackets: a search to the end of the line for each took minutes.
TEST(Report, ALineOfOpenBracketsIsReadInTheTimeOfItsLength) {
  const std::string brackets(size_t{1} << 20, '[');
  EXPECT_TRUE(read(brackets + "\n").events().empty());
  EXPECT_TRUE(read(brackets + ")\n").events().empty());
}

TEST(Labels, TheUnitOfANumberIsNoPartOfTheNextLabel) {
  const auto values = labelled_values("step_time 412.5 ms tokens/s 79000");
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].unit, "ms");
  EXPECT_EQ(values[1].label, "tokens/s");
}

TEST(Labels, AverageBehindANumberIsBracketed) {
  const auto values = labelled_values("Time  0.213 ( 0.215)");
  ASSERT_EQ(values.size(), 2u);
  EXPECT_FALSE(values[0].is_bracketed);
  EXPECT_TRUE(values[1].is_bracketed);
}

// An identifier in hexadecimal may end with letters that are a word: "dbe" counts errors of memory.
TEST(Labels, TheEndOfANameIsNoLabel) {
  const auto values = labelled_values("opened /data/47892dbe took 238567");
  ASSERT_EQ(values.size(), 1u);
  EXPECT_NE(meaning(values[0].label, ""), Meaning::Uncorrected) << values[0].label;
}

TEST(Labels, PairsPositionsAndRemarks) {
  const auto values =
      labelled_values("Step 50/1000; 320000/331000 tok/s; throughput (completion): 71.5 token/s");
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(measure_of(values[0].label, "").meaning, Meaning::Step);
  EXPECT_EQ(values[1].value, 320000);
  EXPECT_EQ(values[1].unit, "tok/s");
  EXPECT_EQ(values[2].label, "throughput (completion)");
  EXPECT_EQ(meaning("begin step", ""), Meaning::Step);
  EXPECT_EQ(meaning("max_steps", ""), Meaning::None);
}

TEST(Labels, OnlyNamesOfWorkAreSpeeds) {
  EXPECT_EQ(meaning("tokens_per_sec", ""), Meaning::Rate);
  EXPECT_EQ(meaning("", "GB/s"), Meaning::Rate);
  EXPECT_EQ(meaning("elapsed_time_per_iteration_ms", ""), Meaning::Duration);
  EXPECT_EQ(meaning("time", ""), Meaning::Duration);
  EXPECT_EQ(meaning("rx errors", ""), Meaning::Errors);
  EXPECT_EQ(meaning("Uncor-Events", ""), Meaning::Uncorrected);
  for (const char* other :
       {"eta", "data_time", "learning_rate", "loss", "total time", "val throughput", "time zone"})
    EXPECT_EQ(meaning(other, ""), Meaning::None) << other;
}

TEST(Labels, UnitsAreScaled) {
  EXPECT_DOUBLE_EQ(measure_of("", "MiB/s").scale, 1024 * 1024);
  EXPECT_DOUBLE_EQ(measure_of("", "Gbits/sec").scale, 1e9);
  EXPECT_DOUBLE_EQ(measure_of("", "TFLOP/s").scale, 1e12);
  EXPECT_DOUBLE_EQ(measure_of("step time", "us").scale, 1e-6);
}

TEST(States, WordsOfAWholeValue) {
  EXPECT_EQ(condition_of("OK"), Condition::Good);
  EXPECT_EQ(condition_of("down,offline"), Condition::Bad);
  EXPECT_EQ(condition_of("FAILED!"), Condition::Bad);
  EXPECT_EQ(condition_of("Transport endpoint is not connected"), Condition::Bad);
  EXPECT_EQ(condition_of("N/A"), Condition::Neutral);
  EXPECT_EQ(condition_of("up 2 hours"), Condition::Unknown);
}

std::string training_log(size_t steps) {
  std::string text;
  for (size_t i = 0; i < steps; ++i)
    text += "step " + std::to_string(10 * i) + " | took time: 1." + std::to_string(100 + i % 7) +
            " s (1.1 s) | elapsed " + std::to_string(i) + " s\n";
  return text;
}

TEST(StepSeries, ANumberThatComesAgainIsTheCourseOfTheJob) {
  const Records records = read(training_log(20));
  std::vector<const Series*> of_job;  // neither the average nor the clock
  for (const Series& series : records.series())
    if (records.quantities()[series.quantity].scope == Scope::Job)
      of_job.push_back(&series);
  ASSERT_EQ(of_job.size(), 1u);
  EXPECT_EQ(of_job[0]->rows.size(), 20u);
  EXPECT_EQ(of_job[0]->rows[3].step, 30);
  EXPECT_TRUE(records.files[0].recognised());
}

// The time of a step by the clock of the log, where no number states a speed.
TEST(StepSeries, TheClockOfTheLogIsASpeed) {
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += "2026-11-20 09:" + std::to_string(10 + i) + ":07,250 - INFO - main - step " +
            std::to_string(30 * i) + ": loss = 3.1\n";
  const Records records = read(text);
  const auto of_job = std::ranges::find_if(records.series(), [&](const Series& series) {
    return records.quantities()[series.quantity].scope == Scope::Job;
  });
  ASSERT_NE(of_job, records.series().end());
  EXPECT_EQ(of_job->rows.size(), 39u);
  EXPECT_NEAR(of_job->rows[5].value, 2, 1e-9);
}

// Work that a line states of its rank is the rank's own, and what it waits for is judged on neither side.
TEST(StepSeries, RanksInALineAreParts) {
  std::string text;
  for (int i = 0; i < 80; ++i)
    text += "rank=" + std::to_string(i % 4) + " step=" + std::to_string(i / 4) + " compute_ms=2" +
            std::to_string(10 + i % 7) + ".5 comm_ms=31.5\n";
  const Records records = read(text);
  size_t of_ranks = 0;
  for (const Series& series : records.series()) {
    const Quantity& quantity = records.quantities()[series.quantity];
    EXPECT_NE(quantity.scope, Scope::Job) << quantity.name;
    of_ranks += quantity.group == "ranks";
    EXPECT_EQ(quantity.is_wait, quantity.name == "comm_ms" && quantity.group == "ranks");
  }
  EXPECT_EQ(of_ranks, 8u);
}

TEST(Report, RowsOfPairsMetricsAndFilesOfOneValue) {
  const Records pairs = read("host_a,host_b,size,busbw_gbps\nn1,n2,1024,80\nn1,n3,1024,72\n");
  ASSERT_EQ(pairs.runs().size(), 2u);
  EXPECT_EQ(pairs.runs()[1].members, (std::vector<std::string>{"n1", "n3"}));
  EXPECT_DOUBLE_EQ(*measured(pairs.runs()[1], "bus bandwidth"), 9);
  const Records metrics =
      read("Metric,avg,max\nRequest Latency (ms),12.5,90\n\nMetric,Value\nThroughput (req/sec),7.5\n");
  EXPECT_EQ(metrics.series().size(), 2u);
  const Records files = read("/sys/class/infiniband/mlx5_3/ports/1/rate:400 Gb/sec (4X NDR)\n");
  ASSERT_EQ(files.series().size(), 1u);
  EXPECT_EQ(files.subjects()[files.series()[0].subject].device, "mlx5_3");
}

TEST(StepSeries, AFewNumbersMakeNoLogKnown) {
  EXPECT_FALSE(
      read(training_log(5)).files[0].formats == std::vector<std::string>{std::string(kStepSeries.name)});
}

TEST(Report, TablesAndPairsBecomeStates) {
  const Records records = read(
      "Function    Best Rate MB/s  Avg time\n"
      "Triad:      512000.5        0.041\n"
      "\n"
      "Device  Errors  Status\n"
      "eth0    3       up\n"
      "eth1    0       DOWN\n");
  const auto& quantities = records.quantities();
  EXPECT_TRUE(std::ranges::any_of(quantities, [](const Quantity& quantity) {
    return quantity.name == "Triad: Best Rate MB/s" && quantity.better == Better::Higher;
  }));
  ASSERT_EQ(records.events().size(), 1u);
  EXPECT_EQ(records.events()[0].subject.device, "eth1");
  EXPECT_EQ(records.files[0].covers, std::vector<std::string>{"states of parts"});
}

TEST(Report, ABoxHasSeveralLinesARow) {
  const Records records = read(
      "+------+--------+\n"
      "| XPU  Name | Health |\n"
      "| Chip | Bus-Id |\n"
      "+======+========+\n"
      "| 0  A1 | OK |\n"
      "| 0 | 0000:1a:00.0 |\n"
      "+------+--------+\n"
      "| 1  A1 | Critical |\n"
      "| 0 | 0000:1b:00.0 |\n"
      "+------+--------+\n");
  ASSERT_EQ(records.events().size(), 1u);
  EXPECT_EQ(records.events()[0].subject.device, "xpu1");
}

TEST(Report, UnicodeBoxesCommentsAndPartsOfLines) {
  const Records box = read(
      "┏━━━━━━━━━━┳━━━━━━┓\n┃ Metric ┃ avg ┃\n┡━━━━━━━━━━╇━━━━━━┩\n│ Request latency (ms) │ 16.26 "
      "│\n└──────────┴──────┘\n");
  ASSERT_EQ(box.quantities().size(), 1u);
  EXPECT_EQ(box.quantities()[0].better, Better::Lower);
  const Records comment = read("# Size   Bandwidth (MB/s)\n1024   21.5\n4096   88.5\n");
  EXPECT_EQ(comment.quantities().size(), 2u);  // one for each size
  const Records parts =
      read("GPU #0:  51494 Gflops/s (min: 50577.5)\nGPU #1:  41494 Gflops/s (min: 40577.5)\n");
  EXPECT_TRUE(std::ranges::any_of(parts.subjects(), [](const Subject& subject) {
    return subject.device == "gpu1";
  }));
}

TEST(Report, AHeadingNamesThePartOfItsStates) {
  const Records records = read("n1\n     state = free\nn2\n     state = down,offline\n");
  ASSERT_EQ(records.events().size(), 1u);
  EXPECT_EQ(records.events()[0].subject.device, "n2");
}

TEST(Report, ChecksAndWordsBehindANameAreStates) {
  for (const char* text :
       {"Check of the GPUs ........ Unhealthy\n",
        "[FAIL] count of GPUs\n",
        "ens1f0 DOWN 94:6d:ae:10:11:12 <BROADCAST>\n",
        "2:0:0:1 sdc 8:32 failed faulty running\n",
        "FAN2 | 0.000 | RPM | nr | 300.000\n",
        "Package id 0:  +99.0 C  (high = +88.0 C, crit = +98.0 C)\n"})
    EXPECT_EQ(read(text).events().size(), 1u) << text;
}

TEST(Report, AStateOfTheWholeFollowsFromThatOfAPart) {
  EXPECT_EQ(read(" state: DEGRADED\n").events().size(), 1u);
  const Records records = read(" state: DEGRADED\n\nNAME  STATE  READ\nnvme1  FAULTED  3\n");
  ASSERT_EQ(records.events().size(), 1u);
  EXPECT_EQ(records.events()[0].subject.device, "nvme1");
}

TEST(Report, BracketsAlone) {
  for (const char* text : {"[\n", "]\n", ")\n", "[]\n", "...\n", "|\n", "| |\n", ":\n", "= \n"})
    EXPECT_TRUE(read(text).events().empty()) << text;
}

TEST(Report, ProseAndProgramsAreNotKnown) {
  for (const char* text :
       {"Dear all,\nthe job was slow.\n", "int main() {\n  return 0;\n}\n", "a: 1\nb: 2\n", ""})
    EXPECT_FALSE(read(text).files[0].recognised()) << text;
}

TEST(Report, ColumnsOfPartsAndPartsInBrackets) {
  const Records numa =
      read("             node0     node1\nnuma_hit     100     200\nnuma_miss     7     9\n");
  ASSERT_FALSE(numa.series().empty());
  const auto has = [](const Records& records, std::string_view name, std::string_view device) {
    return std::ranges::any_of(records.series(), [&](const Series& series) {
      return records.quantities()[series.quantity].name == name &&
             records.subject(series.rows[0]).device == device;
    });
  };
  EXPECT_TRUE(has(numa, "numa_miss node1", ""));
  const Records gemm = read(
      "GEMM [I] (ADAPTER#3)  Ending with 6698.4 GFlops\nGEMM [I] (ADAPTER#4)  Ending with "
      "6690.1 GFlops\n");
  EXPECT_TRUE(has(gemm, "Ending with", "adapter3"));
}

TEST(Report, BarsBetweenCellsAndATitleAboveTheNames) {
  const auto of = [](const std::string& text) {
    std::vector<double> values;
    const Records records = read(text);
    for (const Series& series : records.series())
      for (const Observation& row : series.rows)
        if (row.text.empty())
          values.push_back(row.value);
    return values;
  };
  EXPECT_EQ(
      of("data_size(Bytes): |   avg_time(us): | alg_bandwidth(GB/s): | check_result:\n"
         "8192              |     764.55      |       2.5            | success\n")
          .size(),
      2u);
  EXPECT_EQ(
      of("+-------+------+\n|  put  | None |\n+-------+------+\n| size (Bytes) | BW (GB/sec) |\n"
         "+-------+------+\n| 4096  | 12.5 |\n+-------+------+\n"),
      std::vector<double>{12.5e9});
}

TEST(Report, ARuleStatesWhereCellsAreAndAnEmptyOneIsNone) {
  const Records records = read(
      "Interface  Admin Status  Oper Status  Speed\n---------  ------------  -----------  -----\n"
      "swp1       up            up           400G\nswp2       up            down\n"
      "swp3       down          down\n");
  ASSERT_EQ(records.events().size(), 1u);
  EXPECT_EQ(records.events()[0].subject.device, "swp2");
}

TEST(Report, NamesOfAHeadInTwoLines) {
  const Records records = read(
      "+--------+--------+\n| NEURON | NEURON |\n| DEVICE | MEMORY |\n+--------+--------+\n"
      "| 0      | 96 GB  |\n| 1      | 96 GB  |\n| 2      | 96 GB  |\n+--------+--------+\n");
  const auto lists = [&](std::string_view device) {
    return std::ranges::any_of(records.series(), [&](const Series& series) {
      return records.subject(series.rows[0]).device == device &&
             records.quantities()[series.quantity].group == kListedByName;
    });
  };
  EXPECT_TRUE(lists("device0"));
  EXPECT_TRUE(lists("device2"));
}

TEST(Report, FewerThanWantedIsAnOpenQuestionOfTheService) {
  const Records records = read(
      "NAME    DESIRED   CURRENT   READY\nexporter   33        33        31\nplugin   33        33        "
      "33\n");
  ASSERT_EQ(records.events().size(), 1u);
  EXPECT_EQ(records.events()[0].kind, "unread/state");
}

TEST(Report, AnIdentityStaysThatOfWhatIsInside) {
  const Records records = read(
      "[{\"InstanceId\": \"i-0ab\", \"SystemStatus\": {\"Details\": [{\"Name\": \"reachability\", "
      "\"Status\": "
      "\"failed\"}], \"Status\": \"impaired\"}}]");
  ASSERT_EQ(records.events().size(), 2u);
  for (const Event& event : records.events())
    EXPECT_EQ(event.subject.host, "i-0ab");
}

TEST(Report, LettersHaveTheMeaningOfTheirLegend) {
  const std::string_view legend = "* U:Up D:Down X:Disabled\n";
  const Records one =
      read(std::string("GPU0 0000:05:00.0 D D D\nGPU1 0000:15:00.0 D U U\nGPU2 0000:65:00.0 D U U\n"
                       "GPU3 0000:75:00.0 D U U\n")
               .append(legend));
  ASSERT_EQ(one.events().size(), 1u);
  EXPECT_EQ(one.events()[0].subject.device, "gpu0");
  const Records pair = read(std::string("GPU0 D U U\nGPU1 D U U\nGPU2 U U U\nGPU3 U U U\n").append(legend));
  ASSERT_EQ(pair.events().size(), 1u);
  EXPECT_EQ(pair.events()[0].kind, "unread/state");
  EXPECT_TRUE(read(std::string("GPU0 U U U\nGPU1 U U U\n").append(legend)).events().empty());
}

TEST(Report, RowsSetApartByDashesStateWhatTheirPartsAre) {
  const Records records = read(
      "Node #0   - 172.16.5.11   - READY         - Version: 580.95.05\n"
      "Node #1   - 172.16.5.12   - UNAVAILABLE   - Version: N/A\n");
  ASSERT_EQ(records.events().size(), 1u);
  EXPECT_EQ(records.events()[0].subject.host, "172.16.5.12");
}

TEST(Report, AConditionMayPrecedeItsReason) {
  EXPECT_EQ(condition_of("OK (17 backend containers UP, 102 drives UP)"), Condition::Good);
  EXPECT_EQ(condition_of("ERROR: The maximum link width is 16x but the current one is 8x"), Condition::Bad);
  EXPECT_EQ(condition_of("err: 5, message: Unresponsive receiver of a peer"), Condition::Unknown);
}

TEST(Report, MembersOfADocumentWithoutANameAtItsRoot) {
  const Records records = read(
      "{\"counters\": {\"devices\": [{\"device_index\": 0, \"mem_ecc_uncorrected\": 0}, {\"device_index\": "
      "1, "
      "\"mem_ecc_uncorrected\": 2}]}}\n");
  ASSERT_EQ(records.events().size(), 1u);
  EXPECT_EQ(records.events()[0].subject.device, "device1");
}

TEST(Report, ValuesStandBehindTheirNamesInBrackets) {
  const Records records = read("Latencies     [min, mean, max]  1.2ms, 3.4ms, 9.9ms\n");
  ASSERT_EQ(records.series().size(), 3u);
  const auto mean = std::ranges::find_if(records.series(), [&](const Series& series) {
    return records.quantities()[series.quantity].name == "Latencies mean";
  });
  ASSERT_NE(mean, records.series().end());
  EXPECT_NEAR(mean->rows[0].value, 3.4e-3, 1e-9);
  EXPECT_EQ(records.quantities()[mean->quantity].better, Better::Lower);
}

TEST(Report, ABoxOfPairsAndAFullFileSystem) {
  const Records box = read(
      "+-----------+------+\n| Device ID | 3    |\n+-----------+------+\n| Result    | Fail |\n"
      "+-----------+------+\n");
  ASSERT_EQ(box.events().size(), 1u);
  const Records full = read(
      "Filesystem      Size  Used Avail Use% Mounted on\n/dev/md0         28T   28T     0 100% /scratch\n"
      "/dev/sda1       880G  100G  780G  12% /\n");
  ASSERT_EQ(full.events().size(), 1u);
  EXPECT_EQ(full.events()[0].subject.device, "/dev/md0");
}

TEST(Report, LinesOfServersAreAboutThem) {
  const Records records = read(" * http://10.4.0.20:9000: Avg: 812.12 MiB/s, 81.21 obj/s.\n");
  ASSERT_FALSE(records.series().empty());
  EXPECT_EQ(records.subjects()[records.series()[0].subject].host, "10.4.0.20");
}

TEST(Labels, ErrorsInASecondAreErrors) {
  EXPECT_EQ(meaning("rxdrop/s", "rxdrop/s"), Meaning::Errors);
  EXPECT_EQ(meaning("txpck/s", "txpck/s"), Meaning::Rate);
}

TEST(PeerFailures, BothEndsOfALineAndOfTwo) {
  const Records efa = read(
      "libfabric:11: err: 5, message: Unresponsive receiver My EFA addr: x://[fe80::1]:0 My host id: "
      "i-0db7083f3fcbebb65 Peer EFA addr: x://[fe80::2]:0 Peer host id: i-0ce6d3d57139f053c (14)\n");
  ASSERT_EQ(efa.events().size(), 1u);
  EXPECT_EQ(efa.events()[0].subject.host, "i-0db7083f3fcbebb65");
  EXPECT_EQ(field(efa.events()[0], "peer"), "i-0ce6d3d57139f053c");
  const Records ucx = read(
      "[node7:233:0:233] ib_mlx5_log.c:177  Transport retry count exceeded on mlx5_0:1/IB (synd 0x15)\n"
      "[node7:233:0:233] ib_mlx5_log.c:177  DCI QP 0xd16 wqe[8]: SEND s-e [rqpn 0x17de rlid 1037] [len "
      "57]\n");
  ASSERT_EQ(ucx.events().size(), 1u);
  EXPECT_EQ(ucx.events()[0].subject.host, "node7");
  EXPECT_EQ(field(ucx.events()[0], "peer"), "LID 1037");
}

TEST(Labels, PeriodsSpansAndLabelsThatAreUnits) {
  EXPECT_EQ(meaning("ns/day", ""), Meaning::Rate);
  EXPECT_EQ(meaning("seconds/ns", ""), Meaning::Duration);
  const auto values = labelled_values("{\"elapsed_time\": \"0:05:12\", \"start\": \"09:05:12\"}");
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].value, 312);
  EXPECT_EQ(values[0].unit, "s");
}

// Statements with words of data have more shapes than are kept, and the course between them is found.
TEST(StepSeries, WordsOfDataHideNoSeries) {
  std::string text;
  for (int i = 0; i < 20000; ++i)
    text += i % 500 == 499 ? "took " + std::to_string(0.5 + 0.001 * (i % 7)) + " s/it\n"
                           : "opened part " + std::string(1, char('a' + i % 26)) +
                                 std::string(size_t(1 + i % 200), 'x') + " at " + std::to_string(i) + "\n";
  const Records records = read(text);
  EXPECT_TRUE(std::ranges::any_of(records.series(), [](const Series& series) {
    return series.rows.size() == 40;
  }));
}

// A log of a loop of one's own among statements that hold nothing, however often they come.
TEST(StepSeries, StatementsThatHoldNothingHideNoSeries) {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += i % 100 == 99 ? "took " + std::to_string(0.5 + 0.001 * (i % 7)) + " s/it\n"
                          : "opened part " + std::to_string(i * 7919 % 1000) + " of the store\n";
  const Records records = read(text);
  const auto at = std::ranges::find_if(records.series(), [&](const Series& series) {
    return series.rows.size() == 30;
  });
  EXPECT_NE(at, records.series().end());
}

}  // namespace
}  // namespace lento::desk
