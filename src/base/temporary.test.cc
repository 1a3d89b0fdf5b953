#include "base/temporary.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"

namespace lento::base {
namespace {

namespace fs = std::filesystem;

class TemporaryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
  }
  void TearDown() override {
    fs::remove_all(folder_);
  }

  size_t entries() const {
    return size_t(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  mode_t mode_of(const std::string& path) const {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
  }

  const std::string folder_ = ::testing::TempDir() + "temporary." + std::to_string(::getpid());
  const std::string path_ = folder_ + "/out";
};

TEST_F(TemporaryTest, NothingIsThereBeforeAndNothingElseAfter) {
  {
    OutputFile file(path_);
    file.write("half");
    EXPECT_FALSE(fs::exists(path_));
  }
  EXPECT_EQ(entries(), 0u);
  write_file(path_, "whole");
  EXPECT_EQ(read_file(path_), "whole");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(TemporaryTest, TheModeOfTheOldFileIsKept) {
  write_file(path_, "secret");
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  write_file(path_, "newer secret");
  EXPECT_EQ(mode_of(path_), 0600u);
  const mode_t mask = ::umask(027);
  write_file(folder_ + "/fresh", "");
  ::umask(mask);
  EXPECT_EQ(mode_of(folder_ + "/fresh"), 0640u);
}

TEST_F(TemporaryTest, NamedOnesAreUniqueAndASignalHandlerRemovesThem) {
  {
    Temporary a(path_);
    Temporary b(path_);
    ASSERT_GE(a.fd(), 0);
    ASSERT_GE(b.fd(), 0);
    EXPECT_NE(a.fd(), b.fd());
    remove_temporaries();
  }
  EXPECT_EQ(entries(), 0u);
}

TEST_F(TemporaryTest, ALimitOnTheSizeOfFilesIsAnError) {
  const auto former = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  rlimit small = limit;
  small.rlim_cur = 4096;
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(write_file(path_, std::string(1 << 20, 'x')), Error);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, former);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(TemporaryTest, AFolderAndNoNameAreRefusedAtOnce) {
  EXPECT_THROW(OutputFile{folder_}, Error);
  EXPECT_THROW(OutputFile{""}, Error);
  EXPECT_THROW(OutputFile{folder_ + "/no/such/folder/out"}, Error);
}

}  // namespace
}  // namespace lento::base
