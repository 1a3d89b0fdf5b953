#include "desk/bench/bench.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "desk/bench/fields.h"
#include "desk/bench/kernels.h"
#include "desk/read/log_file.h"

namespace lento::desk {
namespace {

Records read(std::string_view text) {
  const LogReader reader(bench_formats());
  Records records;
  reader.read_text(text, "result.txt", records);
  return records;
}

TEST(Fields, QuotesCommasAndColumns) {
  EXPECT_EQ(split_commas("a,\"b, \"\"c\"\"\",,d"), (std::vector<std::string>{"a", "b, \"c\"", "", "d"}));
  EXPECT_EQ(
      split_columns("  41.2   412,123   f(int, long)  "),
      (std::vector<std::string>{"41.2", "412,123", "f(int, long)"}));
  EXPECT_EQ(find_field({"Time (%)", "Avg (ns)"}, {"Avg"}), 1);
  EXPECT_EQ(find_field({"Average"}, {"Avg"}), -1);
  EXPECT_EQ(seconds_in("usecond"), 1e-6);
  EXPECT_EQ(seconds_in("parsecs"), 0);
}

constexpr const char* kDevices =
    "# nThread 1 nGpus 1 minBytes 8388608 maxBytes 134217728 step: 4(factor) warmup iters: 5 iters: 20\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid 900 on         w1 device  0 [0x10] NVIDIA H200\n"
    "#  Rank  1 Group  0 Pid 901 on         w1 device  1 [0x19] NVIDIA H200\n"
    "#  Rank  2 Group  0 Pid 902 on         w2 device  0 [0x10] NVIDIA H200\n";

TEST(Collective, TheLargestSizeIsTheRunAndWrongResultsAreAFault) {
  const Records records = read(
      std::string(kDevices) +
      "     8388608       2097152  bfloat16     sum      -1   100.0   83.89   90.00      0   100.0   83.89   "
      "157.29      0\n"
      "   134217728      33554432  bfloat16     sum      -1   900.0  149.13  279.62      2   900.0  149.13  "
      "279.62      0\n"
      "# Out of bounds values : 2 FAILED\n# Avg bus bandwidth    : 218.45\n" +
      std::string(kDevices) +
      "     8388608       2097152  bfloat16    none      -1   100.0   83.89   91.00    N/A   100.0   83.89   "
      "157.29    N/A\n");
  ASSERT_EQ(records.runs().size(), 2u);
  EXPECT_EQ(records.runs()[0].members, (std::vector<std::string>{"w1", "w2"}));
  EXPECT_EQ(measured(records.runs()[0], "bus bandwidth"), 279.62);
  EXPECT_EQ(measured(records.runs()[1], "bus bandwidth"), 91.0);
  EXPECT_NE(fact(records.runs()[0], "operation"), fact(records.runs()[1], "operation"));
  ASSERT_EQ(records.events().size(), 1u);
  EXPECT_EQ(records.events()[0].severity, Severity::Fault);
}

TEST(Collective, RowsOfOldVersionsHaveNoRoot) {
  const Records records = read(
      "#   Rank  0 Pid  14069 on   worker-7 device  0 [0x1c] AMD Instinct MI300X\n"
      "     1048576        262144   float     sum    50.0   20.97   36.70  0e+00    50.0   20.97   36.70  "
      "0e+00\n");
  ASSERT_EQ(records.runs().size(), 1u);
  EXPECT_EQ(measured(records.runs()[0], "bus bandwidth"), 36.70);
  EXPECT_EQ(records.runs()[0].members, (std::vector<std::string>{"worker-7"}));
}

TEST(Serving, TextAndJsonGiveTheSameRecord) {
  const Records text = read(
      "Traffic request rate: 4.0\n============ Serving Benchmark Result ============\n"
      "Successful requests:                     200       \n"
      "Benchmark duration (s):                  61.00     \n"
      "Total input tokens:                      102400    \n"
      "Total generated tokens:                  51200     \n"
      "Request throughput (req/s):              3.28      \n"
      "Output token throughput (tok/s):         839.34    \n"
      "Mean TTFT (ms):                          90.00     \n"
      "Median TTFT (ms):                        80.00     \n"
      "Mean TPOT (ms):                          22.00     \n");
  const Records json = read(
      R"({"backend": "vllm", "model_id": "m/x", "completed": 200, "request_rate": 4.0, "duration": 61.0,
          "total_input_tokens": 102400, "total_output_tokens": 51200, "request_throughput": 3.28,
          "output_throughput": 839.34, "mean_ttft_ms": 90.0, "median_ttft_ms": 80.0, "mean_tpot_ms": 22.0})");
  ASSERT_EQ(text.runs().size(), 1u);
  ASSERT_EQ(json.runs().size(), 1u);
  for (const char* name :
       {"requests",
        "duration",
        "input tokens",
        "requests asked for per second",
        "tokens per second",
        "time to first token",
        "time per token"}) {
    ASSERT_TRUE(measured(json.runs()[0], name)) << name;
    EXPECT_EQ(measured(text.runs()[0], name), measured(json.runs()[0], name)) << name;
  }
  EXPECT_EQ(measured(json.runs()[0], "time to first token"), 0.08);
  EXPECT_EQ(fact(json.runs()[0], "model"), "m/x");
}

TEST(Serving, StatisticsOfGenaiPerfAndLinesOfJson) {
  const Records records = read(
      R"({"request_throughput": {"unit": "requests/sec", "avg": 5.5}, "time_to_first_token": {"unit": "ms", "avg": 70, "p50": 50},)"
      R"( "inter_token_latency": {"unit": "ms", "p50": 20}, "output_token_throughput": {"unit": "tokens/sec", "avg": 700}})");
  ASSERT_EQ(records.runs().size(), 1u);
  EXPECT_EQ(measured(records.runs()[0], "time to first token"), 0.05);
  EXPECT_EQ(
      read("{\"request_throughput\": 1, \"output_throughput\": 2}\n{\"request_throughput\": 3, "
           "\"output_throughput\": 4}\n")
          .runs()
          .size(),
      2u);
}

TEST(Kernels, NsysAsCsvAndAsColumns) {
  for (const char* text :
       {"Processing [a.sqlite] with [cuda_gpu_kern_sum.py]...\n"
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
        "60.0,600000,3,200000.0,100000.0,90000,410000,1.0,\"ncclDevKernel_AllGather_RING_LL(a<(int)1, 2>)\"\n"
        "40.0,400000,4,100000.0,100000.0,90000,110000,1.0,gemm\n",
        " Time (%)  Total Time (ns)  Instances  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)  Name\n"
        " --------  ---------------  ---------  --------  --------  --------  --------  -----------  ----\n"
        "     60.0          600,000          3  200000.0  100000.0    90,000   410,000          1.0  "
        "ncclDevKernel_AllGather_RING_LL(a<(int)1, 2>)\n"
        "     40.0          400,000          4  100000.0  100000.0    90,000   110,000          1.0  "
        "gemm\n"}) {
    const Records records = read(text);
    ASSERT_EQ(records.runs().size(), 2u) << text;
    const desk::Run& run = records.runs()[0];
    EXPECT_EQ(fact(run, "kernel"), "ncclDevKernel_AllGather_RING_LL");
    EXPECT_EQ(fact(run, "collective"), "yes");
    EXPECT_NEAR(*measured(run, "mean"), 2e-4, 1e-12);
    EXPECT_NEAR(*measured(run, "median"), 1e-4, 1e-12);
    EXPECT_NEAR(*measured(run, "longest"), 4.1e-4, 1e-12);
    EXPECT_EQ(fact(records.runs()[1], "collective"), "no");
  }
}

TEST(Kernels, NcuLongAndWideAndRocprof) {
  const Records ncu = read(
      "==PROF== Disconnected\n\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"gemm\",\"Duration\",\"usecond\",\"1,000.5\"\n\"0\",\"gemm\",\"SM "
      "Frequency\",\"cycle/nsecond\",\"1.9\"\n");
  ASSERT_EQ(ncu.runs().size(), 1u);
  EXPECT_NEAR(*measured(ncu.runs()[0], "mean"), 1000.5e-6, 1e-12);
  const Records wide =
      read("\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"ns\"\n\"0\",\"gemm\",\"500\"\n");
  ASSERT_EQ(wide.runs().size(), 1u);
  EXPECT_NEAR(*measured(wide.runs()[0], "mean"), 5e-7, 1e-15);
  const Records stats =
      read("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n\"k\",2,800,400,100.0\n");
  ASSERT_EQ(stats.runs().size(), 1u);
  EXPECT_NEAR(*measured(stats.runs()[0], "mean"), 4e-7, 1e-15);
  const Records trace = read(
      "\"Kind\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"\n\"D\",\"ncclDevKernel_Generic\",10,"
      "20\n"
      "\"D\",\"ncclDevKernel_Generic\",30,60\n\"D\",\"ncclDevKernel_Generic\",90,80\n");
  ASSERT_EQ(trace.runs().size(), 1u);
  EXPECT_NEAR(*measured(trace.runs()[0], "median"), 2e-8, 1e-16);
}

TEST(KernelCalls, StaysBounded) {
  KernelCalls calls;
  for (int i = 0; i < 40000; ++i)
    calls.add("k", 1 + double(i % 3));
  Records records;
  records.files.emplace_back();
  Sink sink(records, 0);
  calls.write(sink);
  EXPECT_NEAR(*measured(records.runs()[0], "median"), 2, 1e-9);
  EXPECT_EQ(measured(records.runs()[0], "calls"), 40000);
}

TEST(Bench, HostileFilesGiveNoRun) {
  for (const char* text :
       {"Time (%),Total Time (parsec),Instances,Name\n1,2,3,k\n",
        "    1073741824     268435456     float     sum\n",
        "    99999999999999999999     1     float     sum -1 1 1 nan 0\n",
        "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"0\"\n"})
    EXPECT_TRUE(read(text).runs().empty()) << text;
  EXPECT_THROW(read("{\"request_throughput\": 1, \"output_throughput\": "), base::Error);
}

}  // namespace
}  // namespace lento::desk
