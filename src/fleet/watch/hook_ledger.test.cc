// What may run, and what a crash leaves behind.
#include "fleet/watch/hook_ledger.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/error.h"
#include "base/file.h"

namespace lento::fleet {
namespace {

constexpr int64_t kNow = 1'700'000'000'000;
using Answer = HookLedger::Answer;

class Ledger : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ =
        (std::filesystem::temp_directory_path() / ("lento_ledger_" + std::to_string(::getpid()))).string();
    std::filesystem::remove(path_);
  }
  void TearDown() override {
    std::filesystem::remove(path_);
  }
  std::string path_;
};

TEST_F(Ledger, AHookRunsOnceAnIncidentWhoeverAsks) {
  HookLedger one(path_);
  HookLedger two(path_);
  EXPECT_EQ(one.claim("job", "n3", kNow, 9), Answer::Run);
  EXPECT_EQ(two.claim("job", "n3", kNow + 5, 9), Answer::Before);
  EXPECT_EQ(two.claim("other", "n3", kNow + 5, 9), Answer::Run);
  one.ended("job", "n3", kNow + 10, 0);
  EXPECT_EQ(two.claim("job", "n3", kNow + 20, 9), Answer::Before);
  two.cleared("job", "n3", kNow + 30);
  EXPECT_EQ(one.claim("job", "n3", kNow + 40, 9), Answer::Before);  // within the hour
  EXPECT_EQ(one.claim("job", "n3", kNow + HookLedger::kHour + 1, 9), Answer::Run);
}

TEST_F(Ledger, TheCapOfAnHourHoldsOverARestartAndAClockThatStepsBack) {
  EXPECT_EQ(HookLedger(path_).claim("job", "a", kNow, 2), Answer::Run);
  EXPECT_EQ(HookLedger(path_).claim("job", "b", kNow + 1, 2), Answer::Run);
  EXPECT_EQ(HookLedger(path_).claim("job", "c", kNow + 2, 2), Answer::Capped);
  EXPECT_EQ(HookLedger(path_).claim("job", "c", kNow - 86'400'000, 2), Answer::Capped);
  EXPECT_EQ(HookLedger(path_).claim("job", "c", kNow + HookLedger::kHour + 2, 2), Answer::Run);
}

TEST_F(Ledger, AStartWithoutAnOutcomeIsUnknownOnceItsProcessIsGone) {
  const pid_t child = fork();
  if (child == 0) {
    HookLedger(path_).claim("job", "n3", kNow, 9);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  HookLedger ledger(path_);
  const auto unknown = ledger.unknown("job", kNow + 1);
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(unknown[0].machine, "n3");
  EXPECT_EQ(ledger.unknown("other", kNow + 1).size(), 0u);
  ledger.told_unknown(unknown[0], kNow + 2);
  EXPECT_EQ(ledger.unknown("job", kNow + 3).size(), 0u);
  EXPECT_EQ(ledger.claim("job", "n3", kNow + 4, 9), Answer::Before);
}

TEST_F(Ledger, OneThatRunsNowIsNotUnknown) {
  HookLedger ledger(path_);
  HookLedger other(path_);
  ledger.claim("job", "n3", kNow, 9);
  EXPECT_EQ(other.unknown("job", kNow + 1).size(), 0u);
  HookLedger elsewhere(path_, "another-host:1:1");
  elsewhere.claim("job", "n4", kNow, 9);
  EXPECT_EQ(other.unknown("job", kNow + 1).size(), 0u);
  EXPECT_EQ(other.unknown("job", kNow + 1'000'000).size(), 1u);
}

TEST_F(Ledger, AFileThatIsNoLedgerOrIsCutRunsNothing) {
  base::write_file(path_, R"({"time":1,"task":"job","machine":"n5","event":"ended","status":1,"by":"x"})");
  EXPECT_THROW(HookLedger(path_).claim("job", "n3", kNow, 9), base::Error);
  std::filesystem::remove(path_);
  HookLedger(path_).claim("job", "n3", kNow, 9);
  const std::string whole = base::read_file(path_);
  base::write_file(path_, whole.substr(0, whole.size() / 2));
  EXPECT_THROW(HookLedger(path_).claim("job", "n4", kNow, 9), base::Error);
}

TEST_F(Ledger, AWatchKilledInsideATransactionLeavesNoTrace) {
  HookLedger(path_).claim("job", "n3", kNow, 9);
  const pid_t child = fork();
  if (child == 0) {
    sqlite3* other = nullptr;
    sqlite3_open(path_.c_str(), &other);
    sqlite3_exec(
        other,
        "PRAGMA cache_size = 1; BEGIN IMMEDIATE; DELETE FROM hook",
        nullptr,
        nullptr,
        nullptr);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(HookLedger(path_).claim("job", "n3", kNow + 1, 9), Answer::Before);
}

TEST_F(Ledger, WithoutAPlaceToWriteNothingRuns) {
  HookLedger ledger("/proc/no/such/place");
  EXPECT_THROW(ledger.claim("job", "n3", kNow, 9), base::Error);
}

TEST_F(Ledger, OfManyWatchesOneRuns) {
  std::vector<std::thread> threads;
  std::atomic<int> ran = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      HookLedger ledger(path_);
      for (int m = 0; m < 5; ++m)
        ran += ledger.claim("job", "n" + std::to_string(m), kNow, 99) == Answer::Run;
    });
  }
  for (std::thread& t : threads)
    t.join();
  EXPECT_EQ(ran, 5);
}

}  // namespace
}  // namespace lento::fleet
