// Traces of PyTorch's profiler: what a kernel is taken for, against a second reading of random traces.
#include "fleet/ranks/read/kineto_collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "base/rng.h"
#include "base/test_error.h"

namespace lento::fleet::ranks {
namespace {

using testing::HasSubstr;

RankTrace read(const std::string& text, const std::string& name = "lento_kineto_test.json") {
  const std::string path = testing::TempDir() + "/" + name;
  base::write_file(path, text);
  base::ReadReport report;
  return read_kineto_collectives(path, report);
}

std::string event(
    const std::string& category,
    const std::string& name,
    int64_t ts,
    int64_t dur,
    const std::string& args) {
  return R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","ts":)" + std::to_string(ts) +
         R"(,"dur":)" + std::to_string(dur) + R"(,"args":{)" + args + "}}";
}

std::string collective(int64_t ts, int64_t dur, const std::string& more) {
  return event(
      "kernel",
      "ncclDevKernel_Generic",
      ts,
      dur,
      R"("Collective name":"allreduce","Process Group Name":"0","Process Group Ranks":"[0, 1]",)" + more);
}

int64_t bytes_of(const std::string& dtype) {
  const RankTrace t =
      read("[" + collective(1, 1, R"("In msg nelems":3,"Out msg nelems":12,"dtype":")" + dtype + "\"") + "]");
  return t.records.at(0).bytes;
}

TEST(Kineto, BytesAreTheLargerSideTimesTheWidthOfTheType) {
  EXPECT_EQ(bytes_of("Float8_e4m3fn"), 12);
  EXPECT_EQ(bytes_of("Byte"), 12);
  EXPECT_EQ(bytes_of("BFloat16"), 24);
  EXPECT_EQ(bytes_of("Half"), 24);
  EXPECT_EQ(bytes_of("Float"), 48);
  EXPECT_EQ(bytes_of("Int"), 48);
  EXPECT_EQ(bytes_of("Double"), 96);
  EXPECT_EQ(bytes_of("Long"), 96);
}

TEST(Kineto, KernelsThatCommunicateAreKnownByTheirLibrarysName) {
  for (const char* name :
       {"ncclDevKernel_AllReduce",
        "rcclGenericKernel",
        "mscclKernel_Sum",
        "void multimem_all_reduce_kernel",
        "cross_device_reduce_1stage",
        "void allreduce_fusion_kernel",
        "ncclSymkDevKernel"}) {
    const RankTrace t = read("[" + event("kernel", name, 1, 5, "") + "]");
    EXPECT_EQ(t.communication, 1U) << name;
    EXPECT_EQ(t.unlabelled, 1U) << name;
    EXPECT_TRUE(t.compute.empty()) << name;
    EXPECT_FALSE(t.computes) << name;
  }
  const RankTrace t = read("[" + event("kernel", "elementwise_add", 1, 5, "") + "]");
  EXPECT_EQ(t.communication, 0U);
  EXPECT_TRUE(t.computes);
}

TEST(Kineto, EventsThatAreNoWholeSpanAreNotTaken) {
  const std::string args = R"("args":{"Collective name":"allreduce","Process Group Name":"0"}})";
  const RankTrace t = read(
      R"([{"ph":"B","cat":"kernel","name":"ncclX","ts":1,"dur":1,)" + args +
      R"(,{"ph":"X","cat":"kernel","name":"ncclX","dur":1,)" + args +
      R"(,{"ph":"X","cat":"kernel","name":"ncclX","ts":1,"dur":-1,)" + args +
      R"(,{"ph":"X","cat":"kernel","name":"ncclX","ts":1,"dur":"x",)" + args +
      R"(,{"ph":"X","cat":"kernel","name":"ncclX","ts":1,"dur":86400000001,)" + args + "]");
  EXPECT_EQ(t.communication, 0U);
}

TEST(Kineto, APeerIsAMemberWhetherItWasWrittenGloballyOrNot) {
  const auto peer = [](const std::string& ranks, int rank, const std::string& written) {
    const RankTrace t = read(
        R"({"distributedInfo":{"rank":)" + std::to_string(rank) + R"(},"traceEvents":[)" +
        event(
            "kernel",
            "ncclDevKernel_SendRecv",
            1,
            1,
            R"("Collective name":"send","Group size":2,"Process Group Name":"0","Process Group Ranks":")" +
                ranks + R"(","Dst Rank":)" + written) +
        "]}");
    return t.records.at(0).peer;
  };
  EXPECT_EQ(peer("[4, 7, 9]", 7, "9"), 2);
  EXPECT_EQ(peer("[4, 7, 9]", 7, "0"), 0);   // as a member
  EXPECT_EQ(peer("[4, 7, 9]", 7, "7"), -1);  // never oneself
  EXPECT_EQ(peer("[4, 7]", 7, "7"), 0);      // of two, the other one
  EXPECT_EQ(peer("[0, 1, 2]", 1, "2"), 2);
  EXPECT_EQ(peer("[0, 1, 2]", 1, "4294967298"), -1);  // no rank, and not rank 2
}

TEST(Kineto, RanksThatAreNoneAreNotKnown) {
  const RankTrace t = read(R"({"distributedInfo":{"rank":4294967301,"world_size":-3},"traceEvents":[]})");
  EXPECT_EQ(t.rank, -1);
  EXPECT_EQ(t.world, -1);
}

TEST(Kineto, RanksOfAGroupMayStandInTheJobsConfiguration) {
  const RankTrace t = read(
      R"({"distributedInfo":{"rank":6,"pg_config":[{"pg_name":"0","ranks":[5,6]},{"pg_name":"1","ranks":[1,"x"]}]},
         "traceEvents":[)" +
      event(
          "kernel",
          "ncclX",
          1,
          1,
          R"("Collective name":"barrier","Process Group Name":"0","Group size":9)") +
      "," +
      event(
          "kernel",
          "ncclX",
          2,
          1,
          R"("Collective name":"barrier","Process Group Name":"1","Group size":9)") +
      "]}");
  ASSERT_EQ(t.communicators.size(), 2U);
  EXPECT_EQ(t.communicators[0].ranks, (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(t.communicators[0].size, 2);
  EXPECT_EQ(t.communicators[0].own, 1);
  EXPECT_EQ(t.communicators[0].key, "0,5,6");
  EXPECT_EQ(t.communicators[1].size, 9);
  EXPECT_EQ(t.communicators[1].own, -1);
}

TEST(Kineto, TheProfilersNameTellsHostAndProcess) {
  const RankTrace t = read("[]", "node-3_4711.1700000000000.pt.trace.json");
  EXPECT_EQ(t.host, "node-3");
  EXPECT_EQ(t.process, 4711);
  for (const char* other :
       {"trace.pt.trace.json", "_4711.1.pt.trace.json", "node_x7.1.pt.trace.json", "node_7.json"})
    EXPECT_EQ(read("[]", other).host, "") << other;
}

TEST(Kineto, BrokenFilesAreErrorsWithTheirName) {
  for (const char* text :
       {"", "{", "[{\"ph\":\"X\"", "{\"traceEvents\":7}", "{\"traceEvents\" [", "{\"a\":"}) {
    EXPECT_THAT(
        base::test::error_of([&] {
          read(text);
        }),
        HasSubstr("lento_kineto_test.json"))
        << text;
  }
}

// A file that was cut after its first event, inside another or between two, holds the records of its whole
// events.
TEST(Kineto, AFileWithoutItsEndIsReadUpToItsLastWholeEvent) {
  const std::string head =
      R"({"distributedInfo":{"rank":1,"world_size":2},"baseTimeNanoseconds":1000,"traceEvents":[)";
  std::string text = head;
  std::vector<size_t> ends;
  for (int i = 0; i < 4; ++i) {
    text += (i > 0 ? ",\n" : "") + collective(10 + i, 1, R"("dtype":"Float")");
    ends.push_back(text.size());
  }
  text += "\n]}";
  const std::string path = testing::TempDir() + "/lento_kineto_cut.json";
  for (const size_t size :
       {ends[0],
        ends[0] + 1,
        ends[0] + 2,
        ends[2] - 30,
        ends[2] - 1,
        ends[2],
        ends[3],
        text.size() - 1,
        text.size()}) {
    base::write_file(path, text.substr(0, size));
    base::ReadReport report;
    const RankTrace t = read_kineto_collectives(path, report);
    const auto whole = std::ranges::count_if(ends, [&](size_t end) {
      return end <= size;
    });
    EXPECT_EQ(t.records.size(), size_t(whole)) << size;
    EXPECT_EQ(t.closed, size == text.size()) << size;
    EXPECT_EQ(report.skipped, t.closed ? 0U : 1U) << size;
    EXPECT_EQ(t.rank, 1);
    EXPECT_TRUE(t.dated);
  }
}

TEST(Kineto, DamageIsNoMissingEnd) {
  const std::string one = collective(1, 1, R"("dtype":"Float")");
  for (const std::string& text : {"[" + one + ",}", "[" + one + "}", R"({"traceEvents":[)" + one + "]]"}) {
    EXPECT_THAT(
        base::test::error_of([&] {
          read(text);
        }),
        HasSubstr("lento_kineto_test.json"))
        << text;
  }
}

struct Mark {
  int number;
  int64_t begin;
};

// What the header promises: the last step begun before the launch, or before the kernel where no launch is
// known.
int step_at(std::vector<Mark> marks, int64_t at) {
  std::ranges::stable_sort(marks, {}, &Mark::begin);
  int found = -1;
  for (const Mark& m : marks) {
    if (m.begin <= at)
      found = m.number;
  }
  return found;
}

TEST(Kineto, StepsAreThoseOfTheLaunchOverRandomTraces) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    base::Rng rng(seed, "kineto");
    std::vector<std::string> events;
    std::vector<Mark> marks;
    int64_t at = 1000;
    for (int i = 0; i < 5; ++i) {
      marks.push_back({i + 10, at});
      events.push_back(event("user_annotation", "ProfilerStep#" + std::to_string(i + 10), at, 300, ""));
      at += 200 + int64_t(rng.below(600));
    }
    std::vector<std::pair<int64_t, int>> expected;  // begin, step
    for (int64_t k = 0; k < 40; ++k) {
      const int64_t launch = 500 + int64_t(rng.below(uint64_t(at)));
      const int64_t begin = (launch + int64_t(rng.below(900))) * 100 + k;  // no two alike
      const bool launched = rng.below(3) > 0;
      events.push_back(collective(begin, 1, "\"correlation\":" + std::to_string(k)));
      if (launched)
        events.push_back(
            event("cuda_runtime", "cudaLaunchKernelExC", launch, 1, "\"correlation\":" + std::to_string(k)));
      expected.emplace_back(begin * 1000, step_at(marks, launched ? launch : begin));
    }
    for (size_t i = events.size(); i-- > 1;)
      std::swap(events[i], events[rng.below(i + 1)]);
    std::string text;
    for (const std::string& e : events)
      text += (text.empty() ? "[" : ",") + e;
    const RankTrace t = read(text + "]");
    std::ranges::sort(expected);
    ASSERT_EQ(t.records.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(t.records[i].begin_ns, expected[i].first) << seed;
      EXPECT_EQ(t.records[i].step, expected[i].second) << seed << " " << i;
    }
  }
}

TEST(Kineto, ComputeIsTheUnionOfItsKernels) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    base::Rng rng(seed, "union");
    std::string text;
    std::vector<bool> busy(400, false);
    for (int k = 0; k < 30; ++k) {
      const auto begin = int64_t(rng.below(300));
      const auto length = int64_t(1 + rng.below(40));
      text += (text.empty() ? "[" : ",") + event("kernel", "gemm", begin, length, "");
      for (int64_t i = begin; i < begin + length; ++i)
        busy[size_t(i)] = true;
    }
    const RankTrace t = read(text + "]");
    int64_t total = 0;
    for (size_t i = 0; i < t.compute.size(); ++i) {
      EXPECT_TRUE(i == 0 || t.compute[i].begin_ns > t.compute[i - 1].end_ns) << seed;
      total += t.compute[i].end_ns - t.compute[i].begin_ns;
    }
    EXPECT_EQ(total, 1000 * std::ranges::count(busy, true)) << seed;
  }
}

TEST(Kineto, TimesOfTheGpusMarksAreTheSteps) {
  const RankTrace t = read(
      R"({"baseTimeNanoseconds":5000,"traceEvents":[)" +
      event("user_annotation", "ProfilerStep#1", 10, 5, "") + "," +
      event("gpu_user_annotation", "ProfilerStep#2", 100, 50, "") + "," +
      event("gpu_user_annotation", "ProfilerStep#1", 20, 50, "") + "," +
      event("gpu_user_annotation", "ProfilerStep#x", 1, 1, "") + "]}");
  ASSERT_EQ(t.steps.size(), 2U);
  EXPECT_EQ(t.steps[0].step, 1);
  EXPECT_EQ(t.steps[0].begin_ns, 25000);
  EXPECT_EQ(t.steps[1].end_ns, 155000);
}

}  // namespace
}  // namespace lento::fleet::ranks
