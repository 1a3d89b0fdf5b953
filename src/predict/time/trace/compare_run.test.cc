// Measured runs: the PyTorch profiler's traces, and what they say against a prediction.
#include "predict/time/trace/compare_run.h"

#include <gmock/gmock.h>

namespace lento::predict {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string product(int id, const std::string& name, const std::string& dims, double device_us) {
  return R"({"ph":"X","cat":"cpu_op","name":")" + name + R"(","dur":3,"args":{"External id":)" +
         std::to_string(id) + R"(,"Input Dims":)" + dims +
         R"(,"Input type":["c10::BFloat16","c10::BFloat16"]}},)"
         R"({"ph":"X","cat":"kernel","name":"nvjet","dur":)" +
         std::to_string(device_us) + R"(,"args":{"External id":)" + std::to_string(id) + "}}";
}

std::string trace(const std::string& events) {
  return R"({"traceEvents":[)" + events + "]}";
}

MeasuredRun parse(const std::string& text, base::ReadReport& report) {
  return parse_profiler_trace(text, "run.json", report);
}

Gemm gemm(const Measurement& m) {
  return std::get<Gemm>(m.question.what);
}

TEST(ProfilerTrace, JoinsProductsToTheirKernels) {
  base::ReadReport report;
  const MeasuredRun run = parse(
      trace(
          product(1, "aten::mm", "[[64,128],[128,256]]", 10) + "," +
          product(2, "aten::addmm", "[[256],[64,128],[128,256]]", 20) + "," +
          product(3, "aten::bmm", "[[4,64,128],[4,128,32]]", 30) + "," +
          product(4, "aten::linear", "[[2,64,128],[256,128]]", 40) +
          R"(,{"cat":"user_annotation","name":"ProfilerStep#7","dur":2000000})" +
          R"(,{"cat":"gpu_user_annotation","name":"ProfilerStep#7","dur":1900000})"),
      report);
  ASSERT_EQ(run.kernels.size(), 4U);
  EXPECT_THAT(run.steps_s, ElementsAre(2.0));
  EXPECT_EQ(gemm(run.kernels[0]).n, 256);
  EXPECT_EQ(gemm(run.kernels[0]).precision, Precision::Bf16);
  EXPECT_EQ(gemm(run.kernels[1]).k, 128);
  EXPECT_EQ(gemm(run.kernels[2]).batch, 4);
  EXPECT_EQ(gemm(run.kernels[3]).m, 128);  // both leading sizes share one matrix of weights
  EXPECT_DOUBLE_EQ(run.kernels[3].seconds, 4e-5);
  EXPECT_EQ(report.skipped, 0U);
}

TEST(ProfilerTrace, AProductWithoutShapesIsSkippedAtItsPlace) {
  base::ReadReport report;
  parse(trace(R"({"cat":"cpu_op","name":"aten::mm","args":{"External id":1}},7)"), report);
  EXPECT_EQ(report.skipped, 2U);
  EXPECT_EQ(report.first_skip.path, "traceEvents[0]");
  report.strict = true;
  EXPECT_THROW(parse(trace("7"), report), base::Error);
}

TEST(ProfilerTrace, WhatIsNoTraceIsRefusedWithItsPlace) {
  base::ReadReport report;
  for (const char* text : {"{", "7", "{}", R"({"traceEvents":3})"}) {
    try {
      parse(text, report);
      FAIL() << text;
    } catch (const base::Error& e) {
      EXPECT_THAT(e.what(), HasSubstr("run.json")) << text;
    }
  }
}

MeasuredRun measured(const System& system, double factor) {
  MeasuredRun run;
  for (const int64_t m : {512, 1024, 2048, 4096}) {
    const Question q{Gemm{1, m, 4096, 4096, Precision::Bf16}, {}, {}};
    run.kernels.push_back({q, factor * answer(system, q).seconds, 0});
  }
  return run;
}

TEST(CompareRun, NamesTheSlowKernelAndNothingElse) {
  const System h100 = read_system("h100");
  MeasuredRun run = measured(h100, 1);
  run.kernels[2].seconds *= 1.5;
  const finding::Diagnosis d = compare_run(h100, run, {});
  ASSERT_EQ(d.findings.size(), 1U);
  EXPECT_THAT(d.findings[0].subject, HasSubstr("2048x4096x4096"));
  EXPECT_NEAR(d.findings[0].factor.value(), 1.5, 1e-9);
}

TEST(CompareRun, QuestionsThatShareALabelStayApart) {
  const System a100 = read_system("a100");
  TrainingRun wide;
  wide.model = {32, 4096, 32};
  wide.global_batch = 16;
  wide.tensor = 8;
  TrainingRun deep = wide;
  deep.tensor = 1;
  deep.pipeline = 8;
  MeasuredRun run;
  for (const TrainingRun& r : {wide, deep}) {
    const Question q{r, {}, {}};
    run.kernels.push_back({q, answer(a100, q).seconds, 0});
  }
  const finding::Diagnosis d = compare_run(a100, run, {});
  EXPECT_TRUE(d.findings.empty());
  ASSERT_EQ(d.facts[0].second, "2");
}

TEST(CompareRun, StepsOfAGraphAreCompared) {
  const System a100 = read_system("a100");
  GraphRun graph;
  graph.name = "net.onnx";
  graph.kernels.push_back({"head", "Gemm", true, {1, 4096, 4096, 4096, Precision::Fp16}, 1e8});
  MeasuredRun run;
  run.steps_s = {2 * answer(a100, {graph, {}, {}}).seconds};
  const finding::Diagnosis d = compare_run(a100, run, Question{graph, {}, {}});
  ASSERT_EQ(d.findings.size(), 1U);
  EXPECT_EQ(d.findings[0].subject, "forward pass of net.onnx");
}

TEST(CompareRun, LostTimeIsAShareOfTheStepsThatHoldTheKernels) {
  const System h100 = read_system("h100");
  MeasuredRun run = measured(h100, 1);
  const double kernel = run.kernels[3].seconds;
  run.kernels[3].seconds *= 2;
  run.steps_s = {10 * kernel, 10 * kernel};
  const finding::Diagnosis d = compare_run(h100, run, {});
  ASSERT_EQ(d.findings.size(), 1U);
  EXPECT_NEAR(d.findings[0].lost_share.value(), 0.05, 1e-6);
}

TEST(CompareRun, AHealthyRunHasNoFindings) {
  const System h100 = read_system("h100");
  const finding::Diagnosis d = compare_run(h100, measured(h100, 1.02), {});
  EXPECT_TRUE(d.findings.empty());
  EXPECT_EQ(d.outcome, finding::Outcome::Healthy);
  EXPECT_NE(d.covered.find("measurements of"), std::string::npos);
}

TEST(CompareRun, AUniformlySlowRunIsSeen) {
  const System h100 = read_system("h100");
  const finding::Diagnosis d = compare_run(h100, measured(h100, 1.3), {});
  ASSERT_FALSE(d.findings.empty());
  EXPECT_EQ(d.outcome, finding::Outcome::Findings);
  EXPECT_TRUE(std::ranges::any_of(d.findings, [](const auto& f) {
    return f.category == "uniformly slow";
  }));
}

constexpr const char* kTrace = R"({"deviceProperties": [{"name": "NVIDIA H100 80GB HBM3"}], "traceEvents": [
  {"cat": "Operator", "name": "aten::mm", "ts": 0, "dur": 5,
   "args": {"External id": 1, "Input dims": [[4096, 4096], [4096, 4096]], "Input type": ["c10::BFloat16"]}},
  {"cat": "Kernel", "name": "gemm", "pid": 0, "ts": 0, "dur": 200, "args": {"External id": 1}},
  {"cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "ts": 150, "dur": 150, "args": {}},
  {"cat": "kernel", "name": "elementwise", "pid": 0, "ts": 400, "dur": 100, "args": {}},
  {"cat": "kernel", "name": "gemm", "pid": 1, "ts": 0, "dur": 900, "args": {}}]})";

// 0 to 200 and 400 to 500 us compute, 150 to 300 communicate: 100 us alone, 100 us idle of 500.
TEST(CompareRun, ATraceOfEitherSpellingTellsItsDeviceAndWhatItCovers) {
  base::ReadReport report;
  const MeasuredRun run = parse_profiler_trace(kTrace, "trace.json", report);
  EXPECT_EQ(run.device_name, "NVIDIA H100 80GB HBM3");
  ASSERT_EQ(run.kernels.size(), 1u);
  EXPECT_NEAR(run.span_s, 500e-6, 1e-12);
  EXPECT_NEAR(run.busy_s, 400e-6, 1e-12);
  EXPECT_NEAR(run.kernels_s, 450e-6, 1e-12);
  EXPECT_NEAR(run.exposed_communication_s, 100e-6, 1e-12);
  const finding::Diagnosis d = compare_run(read_system("h100"), run, std::nullopt);
  ASSERT_GE(d.facts.size(), 4u);
  EXPECT_EQ(d.facts[0].first, "device of the run");
  EXPECT_EQ(d.facts[1].second, "44.4 %");
  EXPECT_EQ(d.facts[3].second, "20 %");
}

TEST(CompareRun, AnotherSystemThanTheTracesIsRefused) {
  base::ReadReport report;
  const MeasuredRun run = parse_profiler_trace(kTrace, "trace.json", report);
  EXPECT_THROW(compare_run(read_system("a100"), run, std::nullopt), base::Error);
}

}  // namespace
}  // namespace lento::predict
