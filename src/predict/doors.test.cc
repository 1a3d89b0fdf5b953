// Calibration, measured runs and design points through their jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <thread>

#include "base/file.h"
#include "base/test_error.h"
#include "predict/calibrate.h"
#include "predict/measured.h"
#include "predict/system.h"
#include "predict/table.h"

namespace lento::predict {
namespace {

using base::test::error_of;
using finding::Outcome;
using testing::HasSubstr;

std::string file(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/lento_doors_" + name;
  base::write_file(path, text);
  return path;
}

// Measured times of products: those that the h100's own sheet predicts, times `factor`.
std::string products(double factor) {
  const System h100 = read_system("h100");
  std::string text = "gpu,precision,m,n,k,measured_s\n";
  for (const int64_t m : {128, 512, 2048, 4096, 8192}) {
    for (const int64_t n : {512, 2048, 8192}) {
      for (const int64_t k : {512, 4096}) {
        const double s = factor * predict_gemm(h100, {1, m, n, k, Precision::Bf16}).seconds;
        text += "h100,bf16," + std::to_string(m) + "," + std::to_string(n) + "," + std::to_string(k) + "," +
                std::to_string(s) + "\n";
      }
    }
  }
  return text;
}

TEST(Calibrate, ProductsOfOnePrecisionAreFittedOnce) {
  CalibrateOptions o;
  o.measurements = {file("products.csv", products(1))};
  o.system = "h100";
  const CalibrateResult r = calibrate(o, {});
  ASSERT_EQ(r.products.size(), 1U);
  EXPECT_EQ(r.products[0].first, Precision::Bf16);
  EXPECT_TRUE(r.training.empty());
  EXPECT_LT(r.products[0].second.held_out.mean, 0.2);
  EXPECT_EQ(r.products[0].second.fitted.rows + r.products[0].second.held_out.rows, 30U);
}

TEST(Calibrate, WhatCannotBeFittedIsSaid) {
  CalibrateOptions o;
  o.system = "h100";
  const auto error = [&] {
    return error_of([&] {
      calibrate(o, {});
    });
  };
  o.measurements = {file("other.csv", "gpu,m,n,k,measured_s\nmi300x,8,8,8,1\n")};
  EXPECT_THAT(error(), HasSubstr("no row measures this system"));
  o.measurements = {file("few.csv", "gpu,m,n,k,precision,measured_s\nh100,8,8,8,bf16,1\n")};
  EXPECT_THAT(error(), HasSubstr("only 1 measured bf16 matrix products"));
  o.measurements = {file(
      "run.csv",
      "gpu,hidden,layers,heads,seq_len,global_batch,gpus,tp,pp,dp,measured_s\n"
      "h100,512,4,8,512,8,1,1,1,1,1\n")};
  EXPECT_THAT(error(), HasSubstr("too few measured training runs"));
  o.scalars = {"host_layer", "pointwize"};
  EXPECT_THAT(error(), testing::AllOf(HasSubstr("'pointwize' is no scalar"), HasSubstr("pointwise")));
}

TEST(MeasuredRun, AsPredictedIsHealthyAndTwiceAsSlowIsNot) {
  MeasuredOptions o;
  o.system = "h100";
  o.run = file("asis.csv", products(1));
  EXPECT_EQ(compare_measured(o).outcome, Outcome::Healthy);
  o.run = file("slow.csv", products(2.5));
  EXPECT_EQ(compare_measured(o).outcome, Outcome::Findings);
  // Rows that name their device need no system beside them.
  o.system = "";
  EXPECT_EQ(compare_measured(o).outcome, Outcome::Findings);
  o.run = file("of_none.csv", "m,n,k,precision,measured_s\n4096,4096,4096,bf16,1\n");
  EXPECT_THAT(
      error_of([&] {
        compare_measured(o);
      }),
      HasSubstr("no system is named"));
}

TEST(MeasuredSteps, AreComparedWithTheWorkload) {
  StepsOptions o;
  o.system = "h100";
  o.workload = file(
      "w.yaml",
      "schema: lento.workload/1\nmodel: {layers: 4, hidden: 1024, heads: 8}\nglobal_batch: 8\nmicro_batch: "
      "1\n");
  const double expected = answer(read_system("h100"), read_workload(o.workload, {})).seconds;
  o.steps_s = std::vector<double>(20, expected);
  const finding::Diagnosis same = compare_steps(o);
  EXPECT_EQ(same.outcome, Outcome::Healthy) << same.verdict;
  ASSERT_EQ(same.inputs.size(), 1U);
  o.steps_s = std::vector<double>(20, 5 * expected);
  const finding::Diagnosis slow = compare_steps(o);
  ASSERT_EQ(slow.outcome, Outcome::Findings);
  EXPECT_NEAR(*slow.findings[0].factor, 5, 0.01);
}

TEST(Design, ADesignPointIsAMachineAndSaysWhatItGot) {
  constexpr const char* kDesign = "examples/search/node.yaml";
  EXPECT_TRUE(is_design(kDesign));
  EXPECT_FALSE(is_design("h100"));
  EXPECT_FALSE(is_design("examples/predict/gemm.yaml"));
  const System s = system_of(kDesign);
  EXPECT_GT(s.chip.peak(Precision::Fp32) + s.chip.peak(Precision::Fp16), 0);
  const finding::Diagnosis d = explain_design(kDesign);
  ASSERT_EQ(d.expectations.size(), 1U);
  EXPECT_GT(d.expectations[0].value, 0);
  EXPECT_EQ(d.inputs.at(0).digest, base::digest(base::read_file(kDesign)));
  const auto& bars = std::get<finding::BarsFigure>(d.figures.back().body);
  EXPECT_EQ(bars.categories.size(), bars.values.at(0).size());
  EXPECT_THAT(
      error_of([] {
        system_of("");
      }),
      HasSubstr("no system is named"));
  EXPECT_THROW(system_of("h1000"), base::Error);
}

TEST(Design, ABudgetThatLeavesNothingIsSaid) {
  std::string text = base::read_file("examples/search/node.yaml");
  const size_t at = text.find("TDP:");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, text.find('\n', at) - at, "TDP: 0.001");
  const std::string path = file("none.yaml", text);
  EXPECT_THAT(
      error_of([&] {
        system_of(path);
      }),
      HasSubstr("without area or power"));
  EXPECT_THAT(explain_design(path).verdict, HasSubstr("cannot run"));
}

TEST(Table, RowsAreAnsweredInTheirOrderAndEachByItself) {
  const std::string table =
      file("q.csv", "gpu,m,n,k,precision\nh100,64,64,64,bf16\nnone,64,64,64,bf16\na100,128,64,64,bf16\n");
  std::vector<bool> answered;
  std::vector<double> seconds;
  AnswerRows rows;
  rows.header = [](const std::vector<std::string>& columns, bool) {
    EXPECT_EQ(columns.at(0), "gpu");
  };
  rows.row = [&](const std::vector<std::string>&, const Answer* a) {
    answered.push_back(a != nullptr);
    if (a)
      seconds.push_back(a->seconds);
  };
  const base::ReadReport report = answer_rows({table, "", false}, rows);
  EXPECT_EQ(answered, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(report.skipped, 1U);
  EXPECT_EQ(report.first_skip.line, 3);
  EXPECT_DOUBLE_EQ(seconds[0], predict_gemm(read_system("h100"), {1, 64, 64, 64, Precision::Bf16}).seconds);
  base::Progress stop;
  stop.stop = [] {
    return true;
  };
  std::string long_table = "gpu,m,n,k\n";
  for (int i = 0; i < 1100; ++i)
    long_table += "h100,64,64,64\n";
  answered.clear();
  EXPECT_THROW(answer_rows({file("long.csv", long_table), "", false}, rows, stop), base::Error);
  EXPECT_LT(answered.size(), 1100U);
  EXPECT_THAT(
      error_of([&] {
        answer_rows({file("none.csv", "gpu,m,n,k\nnone,1,1,1\nnone,2,2,2\n"), "", false}, rows);
      }),
      HasSubstr("none of the 2 rows can be answered"));
}

}  // namespace
}  // namespace lento::predict
