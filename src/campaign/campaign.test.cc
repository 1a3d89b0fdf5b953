#include "campaign/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "campaign/journal.h"

namespace lento::campaign {
namespace {

struct TempFile {
  std::string path = ::testing::TempDir() + "journal." + std::to_string(::getpid()) + "." +
                     ::testing::UnitTest::GetInstance()->current_test_info()->name();
  TempFile() {
    std::filesystem::remove(path);
  }
  ~TempFile() {
    std::filesystem::remove(path);
  }
};

std::string square(uint64_t i) {
  return std::to_string(i * i);
}

Options options(const std::string& journal, unsigned threads = 1) {
  Options o;
  o.journal = journal;
  o.identity = "squares 1";
  o.threads = threads;
  return o;
}

TEST(Campaign, SameResultsForAnyNumberOfThreads) {
  const Outcome one = run_all(200, square, options("", 1));
  const Outcome many = run_all(200, square, options("", 7));
  EXPECT_TRUE(one.complete);
  EXPECT_EQ(one.results, many.results);
  EXPECT_EQ(one.results[14], "196");
}

TEST(Campaign, MoreThreadsThanRunsAreNotStarted) {
  const Outcome out = run_all(3, square, options("", 1'000'000));
  EXPECT_TRUE(out.complete);
  EXPECT_EQ(out.results[2], "4");
}

TEST(Campaign, ResumesWithoutDoingARunTwice) {
  TempFile file;
  Options stopping = options(file.path);
  std::atomic<int> calls{0};
  stopping.progress.stop = [&] {
    return calls >= 10;
  };
  const campaign::Run counted = [&](uint64_t i) {
    return ++calls, square(i);
  };
  EXPECT_FALSE(run_all(30, counted, stopping).complete);
  EXPECT_EQ(calls, 10);
  const Outcome rest = run_all(30, counted, options(file.path));
  EXPECT_EQ(calls, 30);
  EXPECT_EQ(rest.resumed, 10u);
  EXPECT_EQ(rest.results, run_all(30, square, options("")).results);
}

// Killed at any moment: what the journal holds is a set of whole runs, and the rest is done once more.
TEST(Campaign, SurvivesKill) {
  TempFile file;
  for (int round = 0; round < 8; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      run_all(
          400,
          [](uint64_t i) {
            return ::usleep(200), square(i);
          },
          options(file.path, 2));
      ::_exit(0);
    }
    ::usleep(3000 + 5000 * round);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  std::atomic<uint64_t> calls{0};
  const Outcome end = run_all(
      400,
      [&](uint64_t i) {
        return ++calls, square(i);
      },
      options(file.path, 2));
  EXPECT_TRUE(end.complete);
  EXPECT_EQ(calls + end.resumed, 400u);
  EXPECT_EQ(end.results, run_all(400, square, options("")).results);
  std::ifstream in(file.path);
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(in), {}, '\n'), 401);  // no run stands twice
}

TEST(Campaign, ErrorOfARunStopsItAndKeepsWhatIsDone) {
  TempFile file;
  const campaign::Run breaking = [](uint64_t i) -> std::string {
    if (i == 5)
      throw base::Error({"run 5"}, "broken");
    return square(i);
  };
  EXPECT_THROW(run_all(20, breaking, options(file.path)), base::Error);
  EXPECT_EQ(run_all(20, square, options(file.path)).resumed, 5u);
}

TEST(Journal, CutsAHalfWrittenLineAndRefusesOthers) {
  TempFile file;
  { Journal(file.path, "a").append(3, "three"); }
  const std::string good = base::read_file(file.path);
  base::write_file(file.path, good + "4 01234");
  { EXPECT_EQ(Journal(file.path, "a").done().size(), 1u); }
  EXPECT_EQ(base::read_file(file.path), good);
  EXPECT_THROW(Journal(file.path, "b"), base::Error);
  std::string damaged = good;
  damaged[damaged.size() - 3] ^= 1;
  base::write_file(file.path, damaged);
  EXPECT_THROW(Journal(file.path, "a"), base::Error);
  base::write_file(file.path, "something else\n");
  EXPECT_THROW(Journal(file.path, "a"), base::Error);
}

TEST(Journal, IsARegularFile) {
  EXPECT_THROW(Journal("/dev/full", "a"), base::Error);
  EXPECT_THROW(Journal("/dev/zero", "a"), base::Error);
}

TEST(Journal, OneWriterAtATime) {
  TempFile file;
  Journal first(file.path, "a");
  EXPECT_THROW(Journal(file.path, "a"), base::Error);
}

}  // namespace
}  // namespace lento::campaign
