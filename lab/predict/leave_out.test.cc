// A chip whose rows are removed: judged by its relatives' constants, named one by one.
#include "lab/predict/leave_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/test_error.h"
#include "predict/time/question.h"

namespace lento::predict {
namespace {

using base::test::error_of;
using testing::HasSubstr;

// Products as the sheets of `chips` predict them, times `factor`.
std::string table_of(
    const std::vector<std::string>& chips,
    double factor,
    const std::vector<int64_t>& widths = {1024, 2048, 4096, 6144, 8192}) {
  std::string text = "gpu,precision,m,n,k,measured_s\n";
  for (const std::string& chip : chips) {
    const System* system = find_shipped(chip);
    for (const int64_t m : {128, 1024, 4096, 8192}) {
      for (const int64_t n : widths) {
        const double s = factor * predict_gemm(*system, {1, m, n, 4096, Precision::Bf16}).seconds;
        text += chip + ",bf16," + std::to_string(m) + "," + std::to_string(n) + ",4096," + std::to_string(s) +
                "\n";
      }
    }
  }
  return text;
}

class LeaveOut : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
  }
  // One of the tables that are looked for, whatever it was made of.
  void table(const std::string& text) const {
    base::write_file(folder_ + "/gemm_v100_dgx1_deepbench.csv", text);
  }
  const std::string folder_ =
      (std::filesystem::temp_directory_path() / ("lento_leave_out_" + std::to_string(getpid()))).string();
};

TEST_F(LeaveOut, ARelativesConstantsPredictWhatTheyMade) {
  table(table_of({"h100", "h200", "a100"}, 1));
  const std::vector<LeftOut> found = leave_out(folder_, "h200", {});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].what, "bf16 products");
  EXPECT_EQ(found[1].what, "bf16 products, m from 1024");
  EXPECT_EQ(found[0].constants, "h100");  // a100 is no relative
  EXPECT_EQ(found[0].ours.rows, 20U);
  EXPECT_EQ(found[1].ours.rows, 15U);
  EXPECT_LT(found[0].ours.mean, 0.15);
  EXPECT_GE(found[0].inside_p90, 0.5);
  EXPECT_LE(found[0].inside_p90, 1);
}

// The chip's own rows decide nothing but the error.
TEST_F(LeaveOut, ItsOwnRowsAreNotFittedTo) {
  table(table_of({"h100"}, 1) + table_of({"h200"}, 2).substr(31));
  const LeftOut found = leave_out(folder_, "h200", {})[0];
  EXPECT_GT(found.ours.mean, 0.4);
  EXPECT_LT(found.ours.mean, 0.6);
  EXPECT_LT(found.inside_p90, 0.2);
}

// A name within another's is a chip of its own.
TEST_F(LeaveOut, EveryRelativeIsNamed) {
  table(table_of({"gb300", "b300", "b200"}, 1));
  EXPECT_EQ(leave_out(folder_, "b200", {})[0].constants, "gb300, b300");
}

TEST_F(LeaveOut, WithoutRelativesTheConstantsAreGeneric) {
  table(table_of({"a100", "h100"}, 1));
  EXPECT_EQ(leave_out(folder_, "a100", {})[0].constants, "none: generic");
}

// Sixteen rows of a relative, wrong by ten: they are not lent.
TEST_F(LeaveOut, FewRowsAreNotLent) {
  table(table_of({"h100"}, 10, {1024, 2048, 4096, 8192}) + table_of({"h200"}, 1).substr(31));
  const LeftOut found = leave_out(folder_, "h200", {})[0];
  EXPECT_EQ(found.constants, "none: generic");
  EXPECT_LT(found.ours.mean, 1);
}

TEST_F(LeaveOut, WhatIsNotThereIsSaid) {
  const auto error = [&](const std::string& chip) {
    return error_of([&] {
      leave_out(folder_, chip, {});
    });
  };
  EXPECT_THAT(error("h100"), HasSubstr("no table measures products on 'h100'"));
  table(table_of({"a100"}, 1));
  EXPECT_THAT(error("h100"), HasSubstr("no table measures products on 'h100'"));
  EXPECT_THAT(error("h1000"), HasSubstr("no system is called 'h1000'"));
}

}  // namespace
}  // namespace lento::predict
