#include "chip/model/model_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "chip/map/binary_tree.h"

namespace lento::chip {
namespace {

namespace fs = std::filesystem;

class ModelFile : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write_model(path_, "key", learnt_);
  }
  void TearDown() override {
    fs::remove_all(folder_);
  }
  bool reads() const {
    return read_model(path_, "key", setup_).has_value();
  }

  const std::string folder_ = testing::TempDir() + "model_file";
  const std::string path_ = folder_ + "/one" + kModelSuffix;
  const spec::Chip chip_;
  const Program program_ =
      expand(map_binary_tree({.depth = 3, .size = 64, .passes = 4}, chip_), chip_, "tree");
  const LearnSetup setup_{chip_, program_, 1};
  const ChipModel learnt_ = learn(setup_, {.draws = 2});
};

TEST_F(ModelFile, JudgesAsTheModelThatWasWritten) {
  const std::optional<ChipModel> read = read_model(path_, "key", setup_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->threshold, learnt_.threshold);
  Fault fault = fault_of({Part::Core, 2}, Grid(chip_));
  fault.factor = 3;
  auto one = simulated_records(setup_, setup_.twin(), {fault}, 5);
  auto two = one;
  const ModelVerdict first = judge(learnt_, one);
  const ModelVerdict second = judge(*read, two);
  EXPECT_EQ(first.most_gain(), second.most_gain());
  EXPECT_EQ(first.detectable, second.detectable);
}

TEST_F(ModelFile, AnotherKeyAndDamageReadAsNone) {
  EXPECT_TRUE(reads());
  EXPECT_FALSE(read_model(path_, "another", setup_));
  EXPECT_FALSE(read_model(path_ + "x", "key", setup_));
  EXPECT_FALSE(read_model(folder_, "key", setup_));
  EXPECT_FALSE(read_model(path_, "key", {chip_, program_, 2}));
  const std::string whole = base::read_file(path_);
  for (const size_t at : {size_t{3}, size_t{30}, size_t{70}, size_t{100}, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 1);
    base::write_file(path_, damaged);
    EXPECT_FALSE(reads()) << at;
    base::write_file(path_, whole.substr(0, at));
    EXPECT_FALSE(reads()) << at;
  }
}

TEST_F(ModelFile, FilesUsedLongestAgoGiveWay) {
  const uint64_t size = fs::file_size(path_);
  const std::string older = folder_ + "/older" + kModelSuffix;
  const std::string other = folder_ + "/other.txt";
  fs::copy_file(path_, older);
  base::write_file(other, "not a model");
  fs::last_write_time(older, fs::last_write_time(path_) - std::chrono::hours(1));
  keep_newest_models(folder_, size + size / 2);
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_FALSE(fs::exists(older));
  EXPECT_TRUE(fs::exists(other));
}

}  // namespace
}  // namespace lento::chip
