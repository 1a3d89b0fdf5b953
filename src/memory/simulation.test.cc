// Guests on the simulated multiprocessor and their traces: the forms hold the same records, a replay of a
// trace is a trace again, and nothing half-written is left.
#include "memory/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/test_error.h"
#include "memory/access_traces.h"
#include "memory/itemsets.h"
#include "memory/replay.h"

namespace lento::memory {
namespace {

using testing::HasSubstr;

constexpr const char* kGuest = "guests/built/false_sharing.elf";

std::string temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("lento_memory_" + std::to_string(getpid()) + name))
      .string();
}

class Folder {
 public:
  ~Folder() {
    for (const std::string& path : paths_)
      std::filesystem::remove(path);
  }
  std::string operator/(const std::string& name) {
    paths_.push_back(temporary(name));
    return paths_.back();
  }

 private:
  std::vector<std::string> paths_;
};

MemorySimulationOptions options() {
  MemorySimulationOptions o;
  o.guest = kGuest;
  o.max_cycles = 60'000;
  return o;
}

std::vector<AccessRecord> records_of(const AccessTraces& traces, base::ReadReport& report) {
  const auto source = open_access_traces(traces, report, nullptr);
  std::vector<AccessRecord> all;
  for (auto batch = source->next(); !batch.empty(); batch = source->next())
    all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

std::string fact(const finding::Diagnosis& d, const std::string& name) {
  for (const auto& [key, value] : d.facts) {
    if (key == name)
      return value;
  }
  return "not there";
}

TEST(SimulateMemory, BinaryAndTextHoldTheSameRecordsAndThePapersItsColumns) {
  Folder f;
  MemorySimulationOptions o = options();
  o.trace = f / "a.trace";
  o.text = f / "a.txt";
  o.paper = f / "a.paper";
  const finding::Diagnosis d = simulate_memory(o);
  base::ReadReport report;
  const auto binary = records_of({{o.trace}, "auto", ""}, report);
  const auto text = records_of({{o.text}, "auto", ""}, report);
  const auto paper = records_of({{o.paper}, "auto", ""}, report);
  EXPECT_EQ(report.skipped, 0U);
  ASSERT_GT(binary.size(), 1000U);
  EXPECT_EQ(text, binary);
  ASSERT_EQ(paper.size(), binary.size());
  for (size_t i = 0; i < paper.size(); ++i) {
    EXPECT_EQ(paper[i].cycle, binary[i].cycle);
    EXPECT_EQ(paper[i].address, binary[i].address);
    EXPECT_EQ(paper[i].latency, binary[i].latency);
    EXPECT_EQ(paper[i].type, binary[i].type);
  }
  EXPECT_THAT(fact(d, "trace"), HasSubstr(std::to_string(binary.size()) + " events"));
}

TEST(SimulateMemory, TheSameSeedIsTheSameRunAndTheLimitHolds) {
  const MemorySimulationOptions o = options();
  const finding::Diagnosis a = simulate_memory(o);
  const finding::Diagnosis b = simulate_memory(o);
  EXPECT_EQ(a.facts, b.facts);
  EXPECT_THAT(a.verdict, HasSubstr("stopped at --max-cycles"));
  EXPECT_LE(std::stoull(fact(a, "cycles")), 60'100U);
}

TEST(SimulateMemory, BlameIsAMatrixOfItsHarts) {
  MemorySimulationOptions o = options();
  o.harts = 3;
  const finding::Diagnosis d = simulate_memory(o);
  const auto& table = std::get<finding::TableFigure>(d.figures[0].body);
  EXPECT_EQ(table.rows.size(), 3U);
  const auto& blame = std::get<finding::HeatMapFigure>(d.figures[1].body);
  EXPECT_EQ(blame.values.size(), 9U);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(blame.values[i * 3 + i], 0) << "a hart waits for others, not for itself";
}

TEST(SimulateMemory, AStoppedTraceIsNotWritten) {
  Folder f;
  MemorySimulationOptions o = options();
  o.trace = f / "stopped.trace";
  o.progress.stop = [] {
    return true;
  };
  EXPECT_THAT(
      base::test::error_of([&] {
        simulate_memory(o);
      }),
      HasSubstr("the trace was not written"));
  EXPECT_FALSE(std::filesystem::exists(o.trace));
  o.guest = "/no/such.elf";
  EXPECT_THROW(simulate_memory(o), base::Error);
}

TEST(ReplayMemory, ATraceOfThePlatformIsATraceAgain) {
  Folder f;
  MemorySimulationOptions o = options();
  o.trace = f / "b.trace";
  simulate_memory(o);
  MemoryReplayOptions r;
  r.traces.paths = {o.trace};
  r.output = f / "b.replayed";
  const finding::Diagnosis d = replay_memory(r);
  base::ReadReport report;
  const auto before = records_of({{o.trace}, "auto", ""}, report);
  const auto after = records_of({{r.output}, "auto", ""}, report);
  EXPECT_EQ(fact(d, "accesses"), std::to_string(before.size()));
  EXPECT_EQ(after.size(), before.size());
  for (size_t i = 1; i < after.size(); ++i)
    EXPECT_LE(after[i - 1].cycle, after[i].cycle);
  r.progress.stop = [] {
    return true;
  };
  r.output = f / "b.stopped";
  EXPECT_THROW(replay_memory(r), base::Error);
  EXPECT_FALSE(std::filesystem::exists(r.output));
}

TEST(ReplayMemory, WhatHoldsNoAccessIsRefusedWithTheReason) {
  Folder f;
  MemoryReplayOptions r;
  const std::string path = f / "nothing.txt";
  base::write_file(path, "1 2 3\n4 5 6\n");
  r.traces = {{path}, "paper", ""};
  r.output = f / "nothing.out";
  EXPECT_THAT(
      base::test::error_of([&] {
        replay_memory(r);
      }),
      testing::AllOf(HasSubstr("no access could be read: 2 records"), HasSubstr("number of columns")));
  EXPECT_FALSE(std::filesystem::exists(r.output));
}

TEST(ReplayMemory, AFileWithoutAnyAccessIsRefusedToo) {
  Folder f;
  MemoryReplayOptions r;
  const std::string path = f / "empty.trace";
  r.traces = {{path}, "auto", ""};
  r.output = f / "empty.out";
  for (const std::string& bytes :
       {std::string("PK\x05\x06") + std::string(18, '\0'), std::string(30, '\0')}) {
    base::write_file(path, bytes);
    r.traces.format = "drmemtrace";
    EXPECT_THAT(
        base::test::error_of([&] {
          replay_memory(r);
        }),
        testing::AllOf(HasSubstr("holds no access"), HasSubstr("--format")));
    EXPECT_FALSE(std::filesystem::exists(r.output));
  }
}

TEST(AccessTraces, SeveralAreMergedByTime) {
  Folder f;
  const std::string a = f / "m1.txt";
  const std::string b = f / "m2.txt";
  base::write_file(a, "0 10 0x1 load 0x10 5\n0 30 0x1 load 0x10 5\n0 50 0x1 load 0x10 5\n");
  base::write_file(b, "1 20 0x2 store 0x20 5\n1 40 0x2 store 0x20 5\n");
  base::ReadReport report;
  const auto all = records_of({{a, b}, "auto", ""}, report);
  ASSERT_EQ(all.size(), 5U);
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(all[i].cycle, 10 * (i + 1));
}

TEST(AccessTraces, APipeCannotBeLookedAtTwice) {
  EXPECT_THAT(
      base::test::error_of([] {
        require_files({"/dev/null"}, "because");
      }),
      testing::AllOf(HasSubstr("not a regular file"), HasSubstr("because")));
  require_files({"/no/such/file", kGuest}, "because");  // opening it tells
}

TEST(Itemsets, SharesAndCountsAreTheSameQuestion) {
  Folder f;
  MemoryItemsetsOptions o;
  o.path = f / "t.dat";
  base::write_file(o.path, "1 2 3\n1 2\n2 3\n1 2 3\n");
  o.support = "50%";
  const MemoryItemsets share = mine_memory_itemsets(o);
  o.support = "2";
  EXPECT_TRUE(mine_memory_itemsets(o).result.count == share.result.count);
  EXPECT_EQ(uint64_t(share.result.count), 4U);  // 2; 12; 23; 123
  o.mine.kind = SetKind::Frequent;
  EXPECT_EQ(uint64_t(mine_memory_itemsets(o).result.count), 7U);
  o.mine.kind = SetKind::Maximal;
  EXPECT_EQ(uint64_t(mine_memory_itemsets(o).result.count), 1U);
  for (const char* wrong : {"", "0", "x", "101%", "-1"}) {
    o.support = wrong;
    EXPECT_THROW(mine_memory_itemsets(o), base::Error) << wrong;
  }
}

TEST(Itemsets, FilesWithoutTransactionsAreRefused) {
  Folder f;
  MemoryItemsetsOptions o;
  o.path = f / "e.dat";
  o.support = "1";
  const auto error = [&](const std::string& text) {
    base::write_file(o.path, text);
    return base::test::error_of([&] {
      mine_memory_itemsets(o);
    });
  };
  EXPECT_THAT(error(""), HasSubstr("holds no transaction"));
  EXPECT_THAT(error("a b\nc\n"), HasSubstr("no transaction could be read: 2 lines skipped"));
  EXPECT_EQ(error("a b\n1 2\n"), "no error");
  EXPECT_EQ(error("\n1 2\n\n"), "no error");
  EXPECT_THAT(error("\n\n"), HasSubstr("holds no transaction"));
  EXPECT_THAT(error("Results\n\nof a run\n\n"), HasSubstr("no transaction could be read: 2 lines skipped"));
  EXPECT_THAT(error("Results\n\nof the year\n2024\n"), HasSubstr("no file of transactions: 1 read, 2 lines"));
  o.strict = true;
  EXPECT_THAT(error("a b\n1 2\n"), HasSubstr(":1"));
}

}  // namespace
}  // namespace lento::memory
