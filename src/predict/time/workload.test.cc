// Workload files: every kind, what they default to, and each mistake at its place.
#include "predict/time/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_error.h"
#include "predict/time/training/placement.h"

namespace lento::predict {
namespace {

using base::test::error_of;
using testing::AllOf;
using testing::HasSubstr;

Question parse(const std::string& body) {
  return parse_workload("schema: lento.workload/1\n" + body, "w.yaml", {});
}

std::string error_in(const std::string& body) {
  return error_of([&] {
    parse(body);
  });
}

const std::string kModel = "model: {layers: 4, hidden: 512, heads: 8}\n";

TEST(Workload, EveryKindIsReadIntoItsQuestion) {
  const auto g = std::get<Gemm>(parse("kind: gemm\nm: 3\nn: 5\nk: 7\nbatch: 2\nprecision: fp16\n").what);
  EXPECT_EQ(g, (Gemm{2, 3, 5, 7, Precision::Fp16}));
  const auto l = std::get<LstmLayer>(parse("kind: lstm\nhidden: 64\nsteps: 9\ngates: 3\n").what);
  EXPECT_EQ(l.gates, 3);
  EXPECT_EQ(l.steps, 9);
  EXPECT_EQ(l.precision, Precision::Bf16);
  const auto i = std::get<InferenceRun>(
      parse("kind: inference\n" + kModel + "prompt: 100\noutput: 7\ntensor: 2\n").what);
  EXPECT_EQ(i.prompt, 100);
  EXPECT_EQ(i.devices(), 2);
  const Question t =
      parse(kModel + "framework: megatron\nglobal_batch: 64\nmicro_batch: 0\nrecompute: open\n");
  EXPECT_EQ(t.framework, "megatron");
  const auto& run = std::get<TrainingRun>(t.what);
  EXPECT_EQ(run.micro_batch, 0);
  EXPECT_TRUE(run.recompute_open);
  EXPECT_EQ(run.recompute, Recompute::None);
}

TEST(Workload, JsonAndOneLineOfYamlAreTheSameWorkload) {
  const auto gemm = [](const std::string& text) {
    return std::get<Gemm>(parse_workload(text, "w.json", {}).what);
  };
  const Gemm expected{1, 3, 5, 7, Precision::Bf16};
  EXPECT_EQ(gemm(R"({"schema": "lento.workload/1", "kind": "gemm", "m": 3, "n": 5, "k": 7})"), expected);
  EXPECT_EQ(gemm("{schema: lento.workload/1, kind: gemm, m: 3, n: 5, k: 7}"), expected);
}

TEST(Workload, WhatAFileLeavesOutIsTheStructsDefault) {
  const auto run = std::get<TrainingRun>(parse(kModel).what);
  TrainingRun expected;
  expected.model.layers = 4;
  expected.model.hidden = 512;
  expected.model.heads = 8;
  EXPECT_EQ(run, expected);
}

TEST(Workload, EachMistakeIsToldAtItsLine) {
  EXPECT_THAT(error_in("kind: gem\n"), AllOf(HasSubstr("w.yaml:2"), HasSubstr("gemm")));
  EXPECT_THAT(error_in("kind: gemm\nm: 0\n"), HasSubstr("w.yaml:3"));
  EXPECT_THAT(error_in("kind: gemm\nm: 99999999\n"), HasSubstr("w.yaml:3"));
  EXPECT_THAT(error_in("kind: gemm\nprecision: fp7\n"), HasSubstr("precision 'fp7' is not known"));
  EXPECT_THAT(error_in("kind: gemm\nmm: 3\n"), AllOf(HasSubstr("w.yaml:3"), HasSubstr("mm")));
  EXPECT_THAT(error_in("kind: training\n"), HasSubstr("'model' is missing"));
  EXPECT_THAT(
      error_in("model: {layers: 4, hidden: 512}\n"),
      HasSubstr("needs 'layers', 'hidden' and 'heads'"));
  EXPECT_THAT(error_in(kModel + "recompute: some\n"), HasSubstr("w.yaml:3"));
  EXPECT_THAT(error_in(kModel + "zero: 4\n"), HasSubstr("w.yaml:3"));
  EXPECT_THAT(error_in(kModel + "placement: data-data\n"), HasSubstr("no order of parallel dimensions"));
  EXPECT_THAT(error_in(kModel + "products: fp5\n"), HasSubstr("precision 'fp5' is not known"));
  EXPECT_THAT(error_in(kModel + "schedule: backwards\n"), HasSubstr("zero bubble"));
  EXPECT_THAT(
      error_of([] {
        parse_workload("schema: lento.workload/2\nkind: gemm\n", "w.yaml", {});
      }),
      HasSubstr("lento.workload/1"));
}

// Fewer values than heads leave a head none: an input, and so an error of the user's.
TEST(Workload, AModelWithMoreHeadsThanWidthIsRefusedNotABug) {
  const Question q = parse("model: {layers: 2, hidden: 4, heads: 8}\n");
  EXPECT_THAT(
      error_of([&] {
        answer(read_system("h100"), q);
      }),
      HasSubstr("heads"));
}

TEST(Workload, ParallelOptionsAreReadOrRefused) {
  RunOptions o;
  o.training = true;
  const std::string config =
      R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":512,"num_hidden_layers":4,)"
      R"("num_attention_heads":8,"intermediate_size":2048,"vocab_size":32000,"limit":Infinity,"x":-Infinity,"y":NaN})";
  const auto run = [&](const char* parallel) {
    o.parallel = parallel;
    return std::get<TrainingRun>(parse_workload(config, "config.json", o).what);
  };
  EXPECT_EQ(run("").devices(), 1);
  EXPECT_FALSE(run("").sequence_parallel);
  EXPECT_TRUE(run("tp=2").sequence_parallel);
  EXPECT_FALSE(run("tp=2,sp=0").sequence_parallel);
  EXPECT_TRUE(run("sp=1").sequence_parallel);
  EXPECT_EQ(run("tp=2,pp=2,dp=3,cp=2").devices(), 24);
  EXPECT_EQ(run("zero=3").zero, 3);
  EXPECT_EQ(run("interleave=2,pp=2").interleave, 2);
  for (const char* wrong : {"tp", "tp=", "tp=0", "tp=x", "tp=20000", "xp=2", "zero=4", "tp=2,,pp=2", "=2"})
    EXPECT_THAT(
        error_of([&] {
          run(wrong);
        }),
        HasSubstr("--parallel"))
        << wrong;
}

TEST(Workload, ServingTakesWhatItCanOfTheOptions) {
  RunOptions o;
  o.batch = 9;
  o.sequence = 77;
  o.output = 5;
  o.parallel = "tp=2,dp=3";
  o.precision = Precision::Fp16;
  const std::string config =
      R"({"model_type":"llama","architectures":["LlamaForCausalLM"],"hidden_size":512,"num_hidden_layers":4,)"
      R"("num_attention_heads":8,"intermediate_size":2048,"vocab_size":32000})";
  const auto run = std::get<InferenceRun>(parse_workload(config, "config.json", o).what);
  EXPECT_EQ(run.batch, 9);
  EXPECT_EQ(run.prompt, 77);
  EXPECT_EQ(run.output, 5);
  EXPECT_EQ(run.devices(), 6);
  EXPECT_EQ(run.precision, Precision::Fp16);
  o.parallel = "cp=2";
  EXPECT_THAT(
      error_of([&] {
        parse_workload(config, "config.json", o);
      }),
      HasSubstr("cp is for training"));
}

TEST(Workload, AConfigurationCanHaveItsRunBesideIt) {
  const std::string config =
      R"({"model_type":"llama","architectures":["LlamaForCausalLM"],"hidden_size":512,"num_hidden_layers":4,)"
      R"("num_attention_heads":8,"intermediate_size":2048,"vocab_size":32000})";
  const std::string body = "tensor: 2\noverlap_gather: true\nproducts: fp8\nframework: megatron\n";
  RunOptions o;
  o.run = testing::TempDir() + "/lento_workload_run.yaml";
  base::write_file(o.run, "schema: lento.workload/1\n" + body);
  const Question q = parse_workload(config, "config.json", o);
  const auto run = std::get<TrainingRun>(q.what);
  EXPECT_EQ(q.framework, "megatron");
  EXPECT_EQ(run.tensor, 2);
  EXPECT_TRUE(run.overlap_gather);
  EXPECT_EQ(run.products, Precision::Fp8);
  EXPECT_EQ(run.model, std::get<InferenceRun>(parse_workload(config, "config.json", {}).what).model);
  base::write_file(o.run, "schema: lento.workload/1\n" + body + kModel);
  EXPECT_THAT(
      error_of([&] {
        parse_workload(config, "config.json", o);
      }),
      HasSubstr("the model is named twice"));
}

// Software trains in 8 bits by computing the products of weights in them.
TEST(Workload, NarrowTrainingKeepsAllButItsProductsInSixteenBits) {
  const std::string config =
      R"({"model_type":"llama","architectures":["LlamaForCausalLM"],"hidden_size":512,"num_hidden_layers":4,)"
      R"("num_attention_heads":8,"intermediate_size":2048,"vocab_size":32000})";
  RunOptions o;
  o.training = true;
  o.precision = Precision::Fp8;
  const auto optioned = std::get<TrainingRun>(parse_workload(config, "config.json", o).what);
  const auto written = std::get<TrainingRun>(parse("precision: fp8\n" + kModel).what);
  for (const TrainingRun& run : {optioned, written}) {
    EXPECT_EQ(run.precision, Precision::Bf16);
    EXPECT_EQ(run.products, Precision::Fp8);
  }
  o.precision = Precision::Fp16;
  const auto half = std::get<TrainingRun>(parse_workload(config, "config.json", o).what);
  EXPECT_EQ(half.precision, Precision::Fp16);
  EXPECT_FALSE(half.products);
}

TEST(Workload, LatentAttentionAndMixturesCanBeSaidInYaml) {
  const auto run = std::get<TrainingRun>(
      parse("model: {layers: 4, hidden: 512, heads: 8, kv_rank: 64, query_rank: 96, rotary_size: 16, "
            "value_size: 32, "
            "shared_ffn: 256, dense_layers: 1, dense_ffn: 1024, window: 128, window_layers: 2}\n")
          .what);
  EXPECT_EQ(run.model.kv_rank, 64);
  EXPECT_EQ(run.model.query_rank, 96);
  EXPECT_EQ(run.model.rotary_size, 16);
  EXPECT_EQ(run.model.value_size, 32);
  EXPECT_EQ(run.model.shared_ffn, 256);
  EXPECT_EQ(run.model.dense_layers, 1);
  EXPECT_EQ(run.model.dense_ffn, 1024);
  EXPECT_EQ(run.model.window, 128);
  EXPECT_EQ(run.model.window_layers, 2);
}

TEST(Workload, KindsOfRecomputationHaveFiveNames) {
  EXPECT_EQ(recompute_of("none"), Recompute::None);
  EXPECT_EQ(recompute_of("open"), Recompute::None);
  EXPECT_EQ(recompute_of("selective"), Recompute::Selective);
  EXPECT_EQ(recompute_of("operators"), Recompute::Operators);
  EXPECT_EQ(recompute_of("full"), Recompute::Full);
  EXPECT_THROW(recompute_of("Full"), base::Error);
  EXPECT_THROW(recompute_of(""), base::Error);
}

TEST(Workload, OnlyGraphsMayBeLarge) {
  EXPECT_GT(most_workload_bytes("model.onnx"), uint64_t{1} << 30);
  EXPECT_LT(most_workload_bytes("config.json"), uint64_t{1} << 25);
}

}  // namespace
}  // namespace lento::predict
