// Profiles made here from the published schema: calls, kernels, steps and what a version may lack.
#include "fleet/ranks/read/nsight.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "fleet/ranks/read/collective_files.h"

namespace lento::fleet::ranks {
namespace {

constexpr int64_t kEpoch = 1'795'000'000'000'000'000;
constexpr uint64_t kCommunicator = 0xfedc'ba98'7654'3210;

int64_t global_id(int64_t process, int64_t thread) {
  return process * 0x1000000 + thread;
}

std::string bytes_of(uint64_t value, int width) {
  std::string out;
  for (int i = 0; i < width; ++i)
    out += char(value >> (8 * i));
  return out;
}

std::string head(uint32_t schema, uint64_t size) {
  return bytes_of(1, 4) + bytes_of(0, 4) + bytes_of(schema, 4) + bytes_of(0, 4) + bytes_of(size, 8) +
         bytes_of(size + 32, 8);
}

// A database that is written a statement at a time.
class Profile {
 public:
  explicit Profile(const std::string& name)
      : path_((std::filesystem::temp_directory_path() / ("lento_" + std::to_string(::getpid()) + name))
                  .string()) {
    std::filesystem::remove(path_);
    EXPECT_EQ(sqlite3_open(path_.c_str(), &database_), SQLITE_OK);
    run("PRAGMA synchronous = OFF");
    run("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)");
    run("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, "
        "correlationId INT, globalPid INT, demangledName INT, shortName INT)");
    run("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT)");
    run("CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT, textId INT, "
        "binaryData BLOB)");
    run("CREATE TABLE NVTX_PAYLOAD_SCHEMAS (schemaId INT, payloadSize INT)");
    run("CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (schemaId INT, idx INT, type INT, name TEXT, offset INT)");
    run("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INT)");
    run("CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT)");
    run("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (" + std::to_string(kEpoch) + ")");
    run("INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'node7')");
    schema(1, 24, {"NCCL communicator ID:0", "No. of ranks:8", "Rank:12", "CUDA device:16"});
    schema(2, 24, {"NCCL communicator ID:", "Message size [bytes]:8", "Reduction operation:16"});
    schema(3, 24, {"NCCL communicator ID:", "Message size [bytes]:8", "Peer rank:16"});
  }
  ~Profile() {
    close();
    std::filesystem::remove(path_);
  }

  void run(const std::string& sql) {
    char* message = nullptr;
    sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &message);
    EXPECT_EQ(message, nullptr) << sql << ": " << (message ? message : "");
    sqlite3_free(message);
  }

  void schema(int id, int size, const std::vector<std::string>& fields) {
    run("INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (" + std::to_string(id) + "," + std::to_string(size) + ")");
    for (const std::string& f : fields) {
      const size_t colon = f.rfind(':');
      const std::string offset = f.substr(colon + 1);
      run("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (" + std::to_string(id) + ",0,5,'" +
          f.substr(0, colon) + "'," + (offset.empty() ? "NULL" : offset) + ")");
    }
  }

  void range(
      int64_t begin,
      int64_t end,
      const std::string& text,
      int64_t thread,
      const std::string& payload = "") {
    sqlite3_stmt* s = nullptr;
    sqlite3_prepare_v2(database_, "INSERT INTO NVTX_EVENTS VALUES (?,?,59,?,?,NULL,?)", -1, &s, nullptr);
    sqlite3_bind_int64(s, 1, begin);
    sqlite3_bind_int64(s, 2, end);
    sqlite3_bind_text(s, 3, text.data(), int(text.size()), SQLITE_TRANSIENT);
    sqlite3_bind_int64(s, 4, thread);
    if (!payload.empty())
      sqlite3_bind_blob(s, 5, payload.data(), int(payload.size()), SQLITE_TRANSIENT);
    EXPECT_EQ(sqlite3_step(s), SQLITE_DONE);
    sqlite3_finalize(s);
  }
  void init(int64_t process, int rank, int ranks, int device) {
    const std::string fields = bytes_of(kCommunicator, 8) + bytes_of(uint64_t(ranks), 4) +
                               bytes_of(uint64_t(rank), 4) + bytes_of(uint64_t(device), 4) + bytes_of(0, 4);
    range(1, 2, "ncclCommInitRank", global_id(process, 1), head(1, 24) + fields);
  }
  void call(int64_t begin, const std::string& name, int64_t process, int64_t bytes) {
    const std::string fields = bytes_of(kCommunicator, 8) + bytes_of(uint64_t(bytes), 8) + bytes_of(0, 8);
    range(begin, begin + 10, name, global_id(process, 1), head(2, 24) + fields);
  }
  void pair(int64_t begin, const std::string& name, int64_t process, int64_t bytes, int peer) {
    const std::string fields =
        bytes_of(kCommunicator, 8) + bytes_of(uint64_t(bytes), 8) + bytes_of(uint64_t(peer), 8);
    range(begin, begin + 10, name, global_id(process, 1), head(3, 24) + fields);
  }
  void
  kernel(int64_t launched, int64_t begin, int64_t end, const std::string& name, int64_t process, int device) {
    const std::string id = std::to_string(++strings_);
    const std::string correlation = std::to_string(++correlations_[process]);
    run("INSERT INTO StringIds VALUES (" + id + ",'" + name + "')");
    run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" + std::to_string(launched) + "," +
        std::to_string(launched + 5) + "," + std::to_string(global_id(process, 1)) + "," + correlation + ")");
    run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + std::to_string(begin) + "," +
        std::to_string(end) + "," + std::to_string(device) + ",7," + correlation + "," +
        std::to_string(global_id(process, 0)) + "," + id + "," + id + ")");
  }

  const std::string& written() {
    close();
    return path_;
  }

 private:
  void close() {
    sqlite3_close(database_);
    database_ = nullptr;
  }
  std::string path_;
  sqlite3* database_ = nullptr;
  int strings_ = 0;
  std::map<int64_t, int> correlations_;
};

std::vector<RankTrace> ranks_of(Profile& p, uint64_t* skipped = nullptr) {
  base::ReadReport report;
  const NsightTrace t = read_nsight(p.written(), report);
  if (skipped)
    *skipped = report.skipped;
  return nsight_collectives(t);
}

TEST(Nsight, AKernelOfNcclIsTheCallThatItsThreadMade) {
  Profile p("calls.sqlite");
  p.init(100, 1, 4, 0);
  p.range(500, 2000, "iteration 7", global_id(100, 1));
  p.kernel(900, 1000, 1400, "gemm", 100, 0);
  p.call(910, "ncclAllReduce", 100, 4096);
  p.kernel(915, 1500, 1800, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", 100, 0);
  const std::vector<RankTrace> ranks = ranks_of(p);
  ASSERT_EQ(ranks.size(), 1u);
  const RankTrace& t = ranks[0];
  EXPECT_EQ(t.host, "node7");
  EXPECT_EQ(t.process, 100);
  EXPECT_EQ(t.device, 0);
  EXPECT_EQ(t.layout, "nsight");
  ASSERT_EQ(t.records.size(), 1u);
  EXPECT_EQ(t.records[0].op, CollectiveOp::AllReduce);
  EXPECT_EQ(t.records[0].bytes, 4096);
  EXPECT_EQ(t.records[0].begin_ns, kEpoch + 1500);
  EXPECT_EQ(t.records[0].end_ns, kEpoch + 1800);
  EXPECT_EQ(t.records[0].step, 7);
  ASSERT_EQ(t.communicators.size(), 1u);
  EXPECT_EQ(t.communicators[0].key, std::to_string(kCommunicator));
  EXPECT_EQ(t.communicators[0].size, 4);
  EXPECT_EQ(t.communicators[0].own, 1);
  ASSERT_EQ(t.compute.size(), 1u);
  EXPECT_EQ(t.compute[0].begin_ns, kEpoch + 1000);
  EXPECT_EQ(t.unlabelled, 0u);
}

TEST(Nsight, ProcessesWithTheSameCorrelationsAreKeptApart) {
  Profile p("processes.sqlite");
  p.init(100, 0, 2, 0);
  p.init(200, 1, 2, 1);
  p.call(10, "ncclAllReduce", 100, 111);
  p.call(20, "ncclAllReduce", 200, 222);
  p.kernel(15, 30, 40, "ncclDevKernel_AllReduce_Sum", 100, 0);
  p.kernel(25, 30, 45, "ncclDevKernel_AllReduce_Sum", 200, 1);
  const std::vector<RankTrace> ranks = ranks_of(p);
  ASSERT_EQ(ranks.size(), 2u);
  ASSERT_EQ(ranks[0].records.size(), 1u);
  ASSERT_EQ(ranks[1].records.size(), 1u);
  EXPECT_EQ(ranks[0].records[0].bytes, 111);
  EXPECT_EQ(ranks[1].records[0].bytes, 222);
  EXPECT_EQ(ranks[1].communicators[0].own, 1);
}

TEST(Nsight, CallsOfAGroupBecomeOneKernel) {
  Profile p("groups.sqlite");
  p.init(100, 1, 4, 0);
  p.call(10, "ncclAllReduce", 100, 1000);
  p.call(20, "ncclAllReduce", 100, 24);
  p.kernel(30, 40, 50, "ncclDevKernel_AllReduce_Sum", 100, 0);
  p.pair(60, "ncclSend", 100, 77, 2);
  p.pair(70, "ncclRecv", 100, 78, 0);
  p.kernel(80, 90, 99, "ncclDevKernel_SendRecv", 100, 0);
  const std::vector<RankTrace> ranks = ranks_of(p);
  ASSERT_EQ(ranks.size(), 1u);
  const auto& records = ranks[0].records;
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].bytes, 1024);
  EXPECT_EQ(records[1].op, CollectiveOp::Send);
  EXPECT_EQ(records[1].peer, 2);
  EXPECT_EQ(records[1].bytes, 77);
  EXPECT_EQ(records[2].op, CollectiveOp::Recv);
  EXPECT_EQ(records[2].peer, 0);
  EXPECT_EQ(records[2].begin_ns, kEpoch + 90);
}

TEST(Nsight, ACallIsTakenOnceAndOnlyByItsKind) {
  Profile p("kinds.sqlite");
  p.init(100, 0, 2, 0);
  p.call(10, "ncclAllGather", 100, 5);
  p.kernel(20, 30, 40, "ncclDevKernel_AllReduce_Sum", 100, 0);  // not of that call
  p.kernel(25, 50, 60, "ncclDevKernel_AllGather_RING_LL", 100, 0);
  p.kernel(26, 70, 80, "ncclDevKernel_AllGather_RING_LL", 100, 0);  // the call is taken
  const std::vector<RankTrace> ranks = ranks_of(p);
  ASSERT_EQ(ranks.size(), 1u);
  EXPECT_EQ(ranks[0].communication, 3u);
  EXPECT_EQ(ranks[0].unlabelled, 2u);
  ASSERT_EQ(ranks[0].records.size(), 1u);
  EXPECT_EQ(ranks[0].records[0].begin_ns, kEpoch + 50);
}

TEST(Nsight, WithoutTheMakingOfItsCommunicatorAKernelIsUnlabelled) {
  Profile p("late.sqlite");
  p.call(10, "ncclAllReduce", 100, 5);
  p.kernel(20, 30, 40, "ncclDevKernel_AllReduce_Sum", 100, 0);
  const std::vector<RankTrace> ranks = ranks_of(p);
  ASSERT_EQ(ranks.size(), 1u);
  EXPECT_EQ(ranks[0].unlabelled, 1u);
  EXPECT_TRUE(ranks[0].records.empty());
}

TEST(Nsight, TablesThatAVersionLacksAreDoneWithout) {
  Profile p("old.sqlite");
  p.kernel(20, 30, 40, "ncclKernel_AllReduce_RING_LL_Sum_float", 100, 0);
  for (const char* table :
       {"NVTX_EVENTS", "NVTX_PAYLOAD_SCHEMAS", "NVTX_PAYLOAD_SCHEMA_ENTRIES", "TARGET_INFO_SYSTEM_ENV"})
    p.run(std::string("DROP TABLE ") + table);
  const std::vector<RankTrace> ranks = ranks_of(p);
  ASSERT_EQ(ranks.size(), 1u);
  EXPECT_EQ(ranks[0].unlabelled, 1u);
  EXPECT_EQ(ranks[0].host, "");
}

TEST(Nsight, AViewInPlaceOfATableIsNotRead) {
  Profile p("view.sqlite");
  p.kernel(20, 30, 40, "gemm", 100, 0);
  p.run("DROP TABLE StringIds");
  p.run(
      "CREATE VIEW StringIds AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) "
      "SELECT id, 'x' AS value FROM n");
  const std::vector<RankTrace> ranks = ranks_of(p);
  ASSERT_EQ(ranks.size(), 1u);
  EXPECT_EQ(ranks[0].compute.size(), 1u);
}

TEST(Nsight, TimesThatCannotBeAreSkippedAndCounted) {
  Profile p("times.sqlite");
  p.kernel(20, 40, 30, "gemm", 100, 0);
  p.kernel(20, -5, 30, "gemm", 100, 0);
  p.kernel(20, 30, 40, "gemm", 100, 0);
  uint64_t skipped = 0;
  const std::vector<RankTrace> ranks = ranks_of(p, &skipped);
  EXPECT_EQ(skipped, 2u);
  ASSERT_EQ(ranks.size(), 1u);
  EXPECT_EQ(ranks[0].compute.size(), 1u);
}

TEST(Nsight, WhatIsNoDatabaseIsAnError) {
  const std::string path = (std::filesystem::temp_directory_path() / "lento_no.sqlite").string();
  base::write_file(path, "SQLite format 3" + std::string(200, '\x7f'));
  base::ReadReport report;
  EXPECT_THROW(read_nsight(path, report), base::Error);
  EXPECT_THROW(read_nsight(path + ".missing", report), base::Error);
  EXPECT_EQ(recognise_collectives(path), CollectiveLayout::Nsight);
  std::filesystem::remove(path);
}

TEST(Nsight, FoldersOfProfilesAreFoundByTheOneDoor) {
  Profile p("door.sqlite");
  p.init(100, 0, 2, 0);
  p.call(10, "ncclAllReduce", 100, 5);
  p.kernel(20, 30, 40, "ncclDevKernel_AllReduce_Sum", 100, 0);
  p.kernel(20, 30, 40, "gemm", 300, 1);  // a process that does not communicate
  base::ReadReport report;
  const CollectiveFiles files = read_collective_files({p.written()}, report);
  ASSERT_EQ(files.ranks.size(), 1u);
  EXPECT_EQ(files.ranks[0].process, 100);
  EXPECT_TRUE(files.not_read.empty());
}

}  // namespace
}  // namespace lento::fleet::ranks
