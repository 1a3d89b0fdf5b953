// Files of collectives: recognised by content, damage distinguished from damage by name, order of names.
#include "fleet/ranks/read/collective_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/test_error.h"
#include "fleet/ranks/read/ras_answer.h"

namespace lento::fleet::ranks {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Folder {
 public:
  Folder()
      : path_(testing::TempDir() + "/lento_collectives") {
    fs::remove_all(path_);
    fs::create_directories(path_ + "/deep/er");
  }
  ~Folder() {
    fs::remove_all(path_);
  }
  std::string write(const std::string& name, const std::string& text) const {
    base::write_file(path_ + "/" + name, text);
    return path_ + "/" + name;
  }
  const std::string& path() const {
    return path_;
  }

 private:
  std::string path_;
};

const std::string kKineto = R"({"schemaVersion":1,"distributedInfo":{"rank":3},"traceEvents":[]})";
const std::string kDump = R"({"entries":[],"pg_config":{}})";
const std::string kPage =
    "# TYPE nccl_collective_exec_time_microseconds gauge\n"
    "nccl_collective_exec_time_microseconds{node=\"n\",gpu=\"g\"} 4\n";

std::string ras(const std::string& time) {
  return R"({"timestamp":")" + time +
         R"(","communicators":[{"hash":"0x1","size":1,"ranks":[{"rank":0,"collective_counts":{}}]}]})";
}

TEST(CollectiveFiles, EveryLayoutHasANameOfItsOwn) {
  std::set<std::string> names;
  for (int i = 0; i <= int(CollectiveLayout::Nsight); ++i)
    names.insert(name(static_cast<CollectiveLayout>(i)));
  EXPECT_EQ(names.size(), size_t(CollectiveLayout::Nsight) + 1);
}

// The first of two traces, cut: what stands behind the events is lost, unless it stands before them.
TEST(CollectiveFiles, ACutTraceWithoutItsRankOrDateIsDropped) {
  const std::string event = R"("traceEvents":[{"ph":"X","cat":"kernel","name":"gemm","ts":1,"dur":1})";
  const std::string rank = R"("distributedInfo":{"rank":3},)";
  const std::string date = R"("baseTimeNanoseconds":5000,)";
  const Folder folder;
  folder.write("b.json", "{" + rank + date + event + "]}");
  const auto ranks = [&](const std::string& text) {
    folder.write("a.json", text);
    base::ReadReport report;
    return read_collective_files({folder.path()}, report).ranks.size();
  };
  EXPECT_EQ(ranks("{" + rank + date + event), 2U);
  EXPECT_EQ(ranks("{" + rank + event), 1U);
  EXPECT_EQ(ranks("{" + date + event), 1U);
  EXPECT_EQ(ranks("{" + date + event + "]}"), 2U);
}

TEST(CollectiveFiles, ContentDecidesNotTheName) {
  const Folder f;
  EXPECT_EQ(recognise_collectives(f.write("a", kKineto)), CollectiveLayout::Kineto);
  EXPECT_EQ(recognise_collectives(f.write("a", "  \n" + kKineto)), CollectiveLayout::Kineto);
  EXPECT_EQ(recognise_collectives(f.write("a", "[{\"ph\":\"X\"}]")), CollectiveLayout::Kineto);
  EXPECT_EQ(recognise_collectives(f.write("a", kDump)), CollectiveLayout::FlightRecorder);
  EXPECT_EQ(recognise_collectives(f.write("a", "\x80\x02]")), CollectiveLayout::FlightRecorder);
  EXPECT_EQ(recognise_collectives(f.write("a", kPage)), CollectiveLayout::InspectorProm);
  EXPECT_EQ(recognise_collectives(f.write("a", ras("t"))), CollectiveLayout::Ras);
  EXPECT_EQ(
      recognise_collectives(f.write("a", "{\"header\":{},\"p2p_perf\":{}}\n")),
      CollectiveLayout::Inspector);
  EXPECT_EQ(recognise_collectives(f.write("a", "")), CollectiveLayout::None);
  EXPECT_EQ(recognise_collectives(f.write("a", "{\"x\":1}")), CollectiveLayout::None);
  EXPECT_EQ(recognise_collectives(f.write("a", "# a comment\nnode 1\n")), CollectiveLayout::None);
  EXPECT_EQ(recognise_collectives(f.write("a.gz", kKineto)), CollectiveLayout::Kineto);
}

TEST(CollectiveFiles, FoldersAreReadWithAllBelowAndOncePerFile) {
  const Folder f;
  const std::string kineto = f.write("deep/er/k.json", kKineto);
  const std::string dump = f.write("deep/dump_7.json", kDump);
  f.write("notes.txt", "nothing\n");
  f.write("page", kPage);
  f.write("second.ras", ras("2025-02"));
  f.write("third.ras", ras("2025-01"));
  base::ReadReport report;
  const CollectiveFiles files = read_collective_files({f.path(), kineto, dump}, report);
  EXPECT_EQ(files.ranks.size(), 1U);
  EXPECT_EQ(files.ranks.at(0).rank, 3);
  EXPECT_EQ(files.dumps.size(), 1U);
  EXPECT_EQ(files.dumps.at(0).rank, 7);
  EXPECT_EQ(files.means.size(), 1U);
  ASSERT_EQ(files.ras.size(), 2U);
  EXPECT_EQ(files.ras[0].timestamp, "2025-01");  // by time, not by name
  EXPECT_EQ(files.files.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(files.files));
  EXPECT_EQ(report.reasons["a file that holds no collectives"], 1U);
}

TEST(CollectiveFiles, DamageInAFolderIsCountedDamageByNameIsAnError) {
  const Folder f;
  const std::string broken = f.write("broken.json", "{\"traceEvents\":[{\"ph\":\"X\"");
  f.write("whole.json", kKineto);
  base::ReadReport report;
  const CollectiveFiles files = read_collective_files({f.path()}, report);
  EXPECT_EQ(files.ranks.size(), 1U);
  EXPECT_EQ(report.reasons["a damaged Kineto trace"], 1U);
  EXPECT_EQ(files.files.size(), 1U);
  EXPECT_THROW(read_collective_files({broken}, report), base::Error);
  base::ReadReport strict;
  strict.strict = true;
  EXPECT_THROW(read_collective_files({f.path()}, strict), base::Error);
  EXPECT_THAT(
      base::test::error_of([&] {
        read_collective_files({f.write("x", "a,b\n")}, report);
      }),
      HasSubstr("no telemetry of collectives"));
  EXPECT_THROW(read_collective_files({f.path() + "/missing"}, report), base::Error);
}

TEST(CollectiveFiles, ProgressIsToldAndAStopObeyed) {
  const Folder f;
  f.write("a", kKineto);
  f.write("b", kKineto);
  base::Progress progress;
  std::vector<double> told;
  progress.report = [&](std::string_view, double done, double of) {
    told.push_back(done);
    EXPECT_EQ(of, 2);
  };
  base::ReadReport report;
  read_collective_files({f.path()}, report, progress);
  EXPECT_EQ(told, (std::vector<double>{0, 1}));
}

RasAnswer answer(const std::string& text) {
  const Folder f;
  base::ReadReport report;
  return read_ras_answer(f.write("ras.json", text), report);
}

TEST(Ras, FlagsMayBeTruthsOrNumbers) {
  const RasAnswer a = answer(
      R"({"communicators":[{"hash":"0x1","size":3,"ranks":[
        {"rank":0,"status":{"abort_flag":1,"async_error":4}},{"rank":1,"status":{"abort_flag":false}},{"rank":2}],
        "missing_ranks":[{"rank":3,"status":{"considered_dead":true}}]}]})");
  const auto& ranks = a.communicators.at(0).ranks;
  ASSERT_EQ(ranks.size(), 4U);
  EXPECT_TRUE(ranks[0].aborted);
  EXPECT_EQ(ranks[0].error, 4);
  EXPECT_FALSE(ranks[1].aborted);
  EXPECT_FALSE(ranks[2].missing);
  EXPECT_TRUE(ranks[3].missing && ranks[3].dead);
  EXPECT_FALSE(ranks[3].unresponsive);
}

TEST(Ras, WhatIsWrongIsNamed) {
  const auto error = [](const std::string& text) {
    return base::test::error_of([&] {
      answer(text);
    });
  };
  EXPECT_THAT(error("{}"), HasSubstr("communicators"));
  EXPECT_THAT(error(R"({"communicators":{}})"), HasSubstr("ras.json"));
  EXPECT_THAT(error(R"({"communicators":[{"size":2}]})"), HasSubstr("communicators[0]"));
  EXPECT_THAT(
      error(R"({"communicators":[{"hash":"1","ranks":[{"collective_counts":{"AllReduce":"x"}}]}]})"),
      HasSubstr("communicators[0]"));
  // A rank beyond 32 bits is no other rank.
  EXPECT_THAT(error(R"({"communicators":[{"hash":"1","ranks":[{"rank":4294967296}]}]})"), HasSubstr("rank"));
  EXPECT_THAT(error(R"({"communicators":[{"hash":"1","size":4294967296}]})"), HasSubstr("size"));
}

}  // namespace
}  // namespace lento::fleet::ranks
