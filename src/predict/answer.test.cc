// What may be asked, and what must be refused.
#include "predict/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "predict/system.h"
#include "predict/table.h"
#include "predict/time/explain.h"

namespace lento::predict {
namespace {

std::string file(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  base::write_file(path, text);
  return path;
}

using testing::HasSubstr;
using Rows = std::vector<std::vector<std::string>>;

Rows answers(const std::string& table, const std::string& system) {
  Rows rows;
  answer_table(
      {file("questions.csv", table), system, false},
      [&rows](const std::vector<std::string>& fields, bool) {
        rows.push_back(fields);
      });
  return rows;
}

TEST(PredictTable, JsonLinesGiveTheSameAnswersAndAreTold) {
  const Rows csv = answers("GPU,m,n,k,dtype\nH100,4096,4096,4096,bf16\n", "");
  Rows lines;
  bool told = false;
  answer_table(
      {file("q.jsonl", "{\"GPU\":\"H100\",\"m\":4096,\"n\":4096,\"k\":4096,\"dtype\":\"bf16\"}\n"),
       "",
       false},
      [&](const std::vector<std::string>& fields, bool json_lines) {
        lines.push_back(fields);
        told = json_lines;
      });
  EXPECT_EQ(lines, csv);
  EXPECT_TRUE(told);
}

std::string refusal(const std::string& table, const std::string& system) {
  try {
    answers(table, system);
  } catch (const base::Error& e) {
    return e.what();
  }
  return "";
}

std::string refusal(const PredictOptions& options) {
  try {
    predict(options);
  } catch (const base::Error& e) {
    return e.what();
  }
  return "";
}

const char* kMixture =
    R"({"model_type": "mixtral", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 32000, "num_local_experts": 8,
        "num_experts_per_tok": 2, "hidden_act": "silu"})";

PredictOptions mixture(const std::string& parallel, bool training) {
  PredictOptions o;
  o.workload = file("mixture.json", kMixture);
  o.system = "h100";
  o.run.training = training;
  o.run.batch = 64;
  o.run.parallel = parallel;
  return o;
}

TEST(PredictJob, WaysThatDoNotDivideTheModelAreRefused) {
  EXPECT_THAT(refusal(mixture("ep=64,dp=64", true)), HasSubstr("8 experts do not divide into 64"));
  EXPECT_THAT(refusal(mixture("ep=64,dp=64", false)), HasSubstr("8 experts do not divide into 64"));
  PredictOptions odd = mixture("cp=7", true);
  odd.run.sequence = 1000;
  EXPECT_THAT(refusal(odd), HasSubstr("1000 tokens does not divide into 7"));
  EXPECT_THAT(refusal(mixture("cp=2", false)), HasSubstr("serving divides no sequence"));
  EXPECT_EQ(refusal(mixture("ep=8,dp=8", true)), "");
}

TEST(PredictJob, WhatDividesNothingIsRefusedWithTheNearestThatDoes) {
  EXPECT_THAT(refusal(mixture("all=67", true)), HasSubstr("all=64 or all=128"));
  EXPECT_THAT(refusal(mixture("dp=48", true)), HasSubstr("the nearest: 48 or 96"));
  EXPECT_THAT(refusal(mixture("ep=3,dp=8", true)), HasSubstr("the nearest that divides: 2 or 4"));
  PredictOptions misspelt = mixture("tp=8", false);
  misspelt.run.framework = "vlm";
  EXPECT_THAT(refusal(misspelt), HasSubstr("did you mean 'vllm'?"));
}

TEST(PredictJob, EveryWayOfARequestCounts) {
  const auto time = [](const std::string& parallel) {
    return predict(mixture(parallel, false)).expectations.front().value;
  };
  const double one = time("tp=2");
  EXPECT_NE(time("tp=2,pp=2"), one);
  EXPECT_NE(time("tp=2,dp=2"), one);
  EXPECT_NE(time("tp=2,dp=2,ep=4"), time("tp=2,dp=2"));
}

TEST(PredictJob, AFrameworkThatTheSheetDoesNotListIsNamed) {
  PredictOptions o = mixture("tp=8", true);
  o.run.framework = "nanotrom";
  EXPECT_THAT(refusal(o), HasSubstr("no stack for the framework 'nanotrom'"));
  o.run.framework = "nanotron";
  EXPECT_EQ(refusal(o), "");
}

// The paths into the model: a row, a workload file and a config.json that ask the same get the same to the
// bit.
TEST(PredictJob, TableYamlAndConfigAgreeToTheBit) {
  const Rows rows = answers(
      "hidden_size,num_layers,num_heads,num_kv_heads,interm_dim,vocab_size,tie_word_embeddings,seq_len,mbs,"
      "batch_accum,dp,tp,pp,zero_stage,tp_mode,accumulate_grad_in_fp32,after_pp_fix\n"
      "4096,32,32,8,14336,131072,False,4096,2,4,8,4,2,1,REDUCE_SCATTER,True,True\n",
      "h100");
  const std::string predicted = rows.at(1).at(rows[0].size() - 5);
  PredictOptions yaml;
  yaml.system = "h100";
  yaml.workload = file(
      "run.yaml",
      "schema: lento.workload/1\nkind: training\nframework: nanotron\n"
      "model: {layers: 32, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, vocab: 131072, "
      "gated: true, tied: false}\n"
      "sequence: 4096\nglobal_batch: 64\nmicro_batch: 2\ntensor: 4\npipeline: 2\ndata: 8\n"
      "zero: 1\nsequence_parallel: true\n");
  PredictOptions json = yaml;
  json.workload = file(
      "config.json",
      R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096,
                           "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
                           "intermediate_size": 14336, "vocab_size": 131072, "tie_word_embeddings": false})");
  json.run.training = true;
  json.run.batch = 64;
  json.run.micro_batch = 2;
  json.run.sequence = 4096;
  json.run.parallel = "tp=4,pp=2,dp=8,zero=1";
  json.run.framework = "nanotron";
  for (const PredictOptions& o : {yaml, json}) {
    const double seconds = predict(o).expectations.front().value;
    EXPECT_EQ(std::stod(predicted), seconds) << o.workload;
  }
}

TEST(PredictJob, AskedNothingItShowsAnExampleAndWhatToTypeNext) {
  const finding::Diagnosis d = predict(PredictOptions{});
  EXPECT_THAT(d.verdict, HasSubstr("tokens/s per GPU"));
  EXPECT_THAT(d.verdict, HasSubstr("fits in"));
  ASSERT_GE(d.notes.size(), 4u);
  EXPECT_THAT(d.notes[0], HasSubstr("lento predict --model"));
}

// The first screen states model, devices and the next question.
TEST(PredictJob, TheTitleNamesModelAndDevicesAndTheRemedyTheNextQuestion) {
  PredictOptions options;
  options.model = "llama-3.1-8b";
  options.system = "h100";
  options.run.training = true;
  options.run.batch = 64;
  options.run.sequence = 4096;
  options.run.parallel = "dp=8,zero=3";
  finding::Diagnosis d = predict(options);
  EXPECT_THAT(d.title, HasSubstr("llama-3.1-8b, training on 8 devices: how fast it should be on"));
  EXPECT_THAT(d.remedy, HasSubstr("--measured '"));
  EXPECT_THAT(d.remedy, HasSubstr("--parallel all=8"));
  options.measured = parse_measured_figure("9000 tokens/s");
  d = predict(options);
  EXPECT_EQ(d.remedy, "");
}

PredictOptions served(const char* config, int64_t batch) {
  PredictOptions o;
  o.workload = file("served.json", config);
  o.system = "h100";
  o.run.batch = batch;
  o.run.sequence = 1024;
  return o;
}

std::string fact_of(const finding::Diagnosis& d, const std::string& name) {
  const auto at = std::ranges::find(d.facts, name, &std::pair<std::string, std::string>::first);
  return at == d.facts.end() ? "" : at->second;
}

constexpr const char* kStored =
    R"({"model_type": "llama", "hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64,
        "num_key_value_heads": 8, "intermediate_size": 28672, "vocab_size": 128256,
        "tie_word_embeddings": false, "max_position_embeddings": 131072,
        "quantization_config": {"quant_method": "awq", "bits": 4}})";

// Weights of 70 billion parameters fit one device of 80 GiB in four bits and not in sixteen.
TEST(PredictJob, HeadlineAndFactsCountTheSameMemory) {
  const finding::Diagnosis four = predict(served(kStored, 16));
  const size_t at = four.verdict.find("fits in ");
  ASSERT_NE(at, std::string::npos) << four.verdict;
  const double gibibytes = std::stod(four.verdict.substr(at + 8));
  EXPECT_NEAR(std::stod(fact_of(four, "memory a device")), gibibytes, 0.1);
  EXPECT_EQ(fact_of(four, "fits"), "yes");
  std::string plain = kStored;
  plain.replace(plain.find("quantization_config"), 19, "without_its_formats");
  const finding::Diagnosis sixteen = predict(served(plain.c_str(), 16));
  EXPECT_THAT(sixteen.verdict, testing::StartsWith("Does not fit: the weights and one request need 13"));
  EXPECT_THAT(sixteen.verdict, testing::Not(HasSubstr("tokens/s")));
  EXPECT_EQ(fact_of(sixteen, "fits"), "no");
  EXPECT_EQ(fact_of(sixteen, "expected") + fact_of(sixteen, "first token, kernels of the sheet"), "");
  // What it advises was tried.
  EXPECT_THAT(sixteen.remedy, HasSubstr("Layouts of 2 devices fit: --parallel all=2"));
  EXPECT_THAT(sixteen.remedy, HasSubstr("or fewer bits: --precision fp8"));
  PredictOptions advised = served(plain.c_str(), 16);
  advised.run.parallel = "all=2";
  EXPECT_THAT(predict(advised).verdict, HasSubstr("fits in"));
  advised.run.parallel.clear();
  advised.run.precision = Precision::Fp8;
  EXPECT_THAT(predict(advised).verdict, HasSubstr("fits in"));
  EXPECT_THAT(fact_of(four, "asked"), HasSubstr("bf16, weights stored as int4"));
}

// vLLM leaves a tenth of the memory free, so that a need below the memory may not fit.
TEST(PredictJob, TheMemoryThatSoftwareLeavesFreeIsSaid) {
  PredictOptions o;
  o.model = "qwen2.5-32b";
  o.system = "a100-sxm-40";
  o.run.parallel = "tp=2";
  o.run.framework = "vllm";
  o.run.sequence = 24000;
  const std::string verdict = predict(o).verdict;
  EXPECT_THAT(verdict, HasSubstr("Does not fit: the weights and one request need "));
  EXPECT_THAT(verdict, HasSubstr("(vllm v1 takes 90 % of "));
}

TEST(PredictJob, OptionsOfTrainingAreNoOptionsOfServing) {
  PredictOptions o = served(kStored, 16);
  o.run.recompute = Recompute::Full;
  EXPECT_THAT(refusal(o), HasSubstr("recomputation is for training"));
  o = served(kStored, 16);
  o.run.micro_batch = 4;
  EXPECT_THAT(refusal(o), HasSubstr("a micro batch is for training"));
  for (const char* degree : {"zero=1", "interleave=2", "shard=8"}) {
    o = served(kStored, 16);
    o.run.parallel = degree;
    EXPECT_THAT(refusal(o), HasSubstr("is for training")) << degree;
  }
  o.run.parallel = "tp=2,tp=4";
  EXPECT_THAT(refusal(o), HasSubstr("'tp' is given twice"));
  o = served(kStored, 16);
  o.run.training = true;
  o.run.precision = Precision::Int8;
  EXPECT_THAT(refusal(o), HasSubstr("training in int8 is not modelled"));
}

// The kernels of four bits that were measured on this chip are slower than those of eight.
TEST(PredictJob, AFormatOfFewerBitsThatIsSlowerIsExplained) {
  PredictOptions o;
  o.model = "llama-3.1-8b";
  o.system = "mi355x";
  o.run.training = true;
  o.run.batch = 64;
  o.run.sequence = 4096;
  o.run.parallel = "dp=8,zero=3";
  o.run.recompute = Recompute::Full;
  const auto notes_in = [&o](Precision p) {
    o.run.precision = p;
    return predict(o).notes;
  };
  EXPECT_THAT(notes_in(Precision::Fp4), testing::Contains(HasSubstr("fp4 is expected to take ")));
  EXPECT_THAT(notes_in(Precision::Fp8), testing::Not(testing::Contains(HasSubstr("is expected to take "))));
}

// Rows of Megatron Bridge's summaries of 25.11 and 26.02 on 256 GB200, whose experts' group lies inside one
// domain of NVLink. No row of this chip is among those that the software was fitted to.
TEST(PredictJob, MixturesOnGb200AreExpectedWithinAFifth) {
  struct Row {
    const char* model;
    Precision precision;
    const char* parallel;
    int64_t batch;
    double tokens_per_s;
  };
  const Row rows[] = {
      {"deepseek-v3", Precision::Fp8, "pp=4,dp=64,ep=64,zero=1,interleave=4", 4096, 3955},
      {"deepseek-v3", Precision::Fp8, "pp=8,dp=32,ep=32,zero=1,interleave=4", 4096, 4018},
      {"deepseek-v3", Precision::Bf16, "pp=4,dp=64,ep=64,zero=1,interleave=4", 4096, 3139},
      {"qwen3-235b-a22b", Precision::Fp8, "pp=8,dp=32,ep=32,zero=1", 8192, 5448},
      {"qwen3-235b-a22b", Precision::Bf16, "pp=8,dp=32,ep=32,zero=1,interleave=3", 8192, 4916}};
  for (const Row& row : rows) {
    PredictOptions o;
    o.model = row.model;
    o.system = "gb200";
    o.run.training = true;
    o.run.framework = "megatron bridge";
    o.run.precision = row.precision;
    o.run.parallel = row.parallel;
    o.run.batch = row.batch;
    o.run.sequence = 4096;
    o.measured = parse_measured_figure(std::to_string(row.tokens_per_s) + " tokens/s");
    const double over = std::stod(fact_of(predict(o), "measured over expected time").substr(1));
    EXPECT_NEAR(std::log(over), 0, std::log(1.2)) << row.model << ' ' << row.tokens_per_s;
  }
}

// Every choice that the time depends on is repeated, because some are defaults.
TEST(PredictJob, TheAskedRunIsRepeatedInFull) {
  PredictOptions o;
  o.model = "llama-3.1-8b";
  o.system = "h100";
  o.run.training = true;
  o.run.batch = 64;
  o.run.micro_batch = 2;
  o.run.parallel = "tp=2,dp=4,zero=1";
  o.run.recompute = Recompute::Full;
  EXPECT_THAT(fact_of(predict(o), "asked"), HasSubstr("data 4, micro batch 2, zero 1, recompute full"));
  o = mixture("dp=8,ep=8", false);
  EXPECT_THAT(fact_of(predict(o), "asked"), HasSubstr("8 devices, data 8 x expert 8"));
}

TEST(PredictJob, RequestsThatWaitForRoomAreSaid) {
  PredictOptions o = served(kStored, 1024);
  o.run.framework = "vllm";
  const finding::Diagnosis d = predict(o);
  EXPECT_THAT(d.verdict, HasSubstr(" of 1,024 requests at once, the others wait"));
  EXPECT_THAT(d.verdict, HasSubstr("for the last of 1,024 requests)"));
  EXPECT_THAT(fact_of(d, "fits"), testing::MatchesRegex("yes, [0-9]+ requests at once"));
  EXPECT_THAT(predict(served(kStored, 1)).verdict, testing::Not(HasSubstr("the others wait")));
}

TEST(PredictJob, TheLargestBatchKeepsToTheTimeOfAToken) {
  PredictOptions o = served(kStored, 1);
  o.run.framework = "vllm";
  o.token_s = 0.02;
  const finding::Diagnosis d = predict(o);
  ASSERT_THAT(d.verdict, testing::StartsWith("At 20 ms a token "));
  const int64_t most = std::stoll(d.verdict.substr(17));
  EXPECT_THAT(fact_of(d, "asked"), testing::StartsWith(std::to_string(most) + " requests at once"));
  const auto token_s = [&](int64_t batch) {
    Question q = read_workload_file(o.workload, o.run).question;
    std::get<InferenceRun>(q.what).batch = batch;
    return expect_run(*find_shipped("h100"), q)->per_token_s;
  };
  EXPECT_LE(token_s(most), 0.02);
  EXPECT_GT(token_s(most + 1), 0.02);
  o.token_s = 1;
  EXPECT_THAT(predict(o).verdict, HasSubstr("run at once, as many as memory and software take."));
  o.token_s = 1e-6;
  EXPECT_THAT(predict(o).verdict, testing::StartsWith("No batch keeps to 1 us a token"));
  o.run.training = true;
  EXPECT_THAT(refusal(o), HasSubstr("in serving only"));
}

TEST(PredictJob, MoreTokensThanPositionsAreSaid) {
  PredictOptions o = served(kStored, 1);
  EXPECT_THAT(predict(o).verdict, testing::Not(HasSubstr("positions")));
  o.run.sequence = 131072;
  EXPECT_THAT(predict(o).verdict, HasSubstr("131072 positions, and 131200 tokens are asked"));
}

TEST(PredictJob, ABudgetOfTokensHasItsDaysAndItsCost) {
  PredictOptions o;
  o.model = "llama-3.1-8b";
  o.system = "h100";
  o.run.training = true;
  o.run.batch = 64;
  o.run.sequence = 4096;
  o.run.parallel = "dp=8,zero=3";
  o.run.recompute = Recompute::Full;
  o.usd_per_hour = 2.5;
  EXPECT_THAT(predict(o).verdict, HasSubstr("A million tokens cost "));
  o.tokens = parse_tokens("1.5T");
  const std::string verdict = predict(o).verdict;
  EXPECT_THAT(verdict, HasSubstr("1.5T tokens take "));
  EXPECT_THAT(verdict, HasSubstr(" USD a GPU and hour."));
  o.tokens = 1e9;
  EXPECT_THAT(predict(o).verdict, HasSubstr(" 1B tokens take "));
  EXPECT_DOUBLE_EQ(parse_tokens("300B"), 300e9);
  EXPECT_DOUBLE_EQ(parse_tokens("1.5e12"), 1.5e12);
  for (const char* bad : {"", "T", "many", "-3B", "0"})
    EXPECT_THROW(parse_tokens(bad), base::Error) << bad;
}

// A run that was measured fitted, so that one that does not fit is not how it ran.
TEST(PredictJob, AMeasuredRunThatDoesNotFitIsAskedHowItRan) {
  PredictOptions o;
  o.model = "llama-3.1-8b";
  o.system = "h100";
  o.run.training = true;
  o.measured = parse_measured_figure("9100 tokens/s");
  EXPECT_THAT(predict(o).remedy, HasSubstr("how it ran"));
  o.run.parallel = "all=8";
  o.run.batch = 64;
  EXPECT_EQ(predict(o).remedy, "");
}

// The sheet has a stack of Megatron for training, which serves nothing.
TEST(PredictJob, SoftwareOfTheOtherWorkIsRefused) {
  PredictOptions o;
  o.model = "llama-3.1-8b";
  o.system = "h100";
  o.run.framework = "megatron";
  EXPECT_THAT(refusal(o), HasSubstr("'megatron' trains models and does not serve them"));
  o.run.framework = "vllm";
  EXPECT_EQ(refusal(o), "");
  o.run.training = true;
  EXPECT_THAT(refusal(o), HasSubstr("'vllm' serves models and does not train them"));
}

// One quantity has one figure: what the data sheet alone gives is marked.
TEST(PredictJob, CostsOfTheSheetAreMarked) {
  PredictOptions o;
  o.model = "llama-3.1-8b";
  o.system = "h100";
  o.usd_per_hour = 2.5;
  const finding::Diagnosis d = predict(o);
  EXPECT_EQ(fact_of(d, "cost of a million tokens"), "");
  EXPECT_NE(fact_of(d, "cost of a million tokens, kernels of the sheet"), "");
  EXPECT_EQ(fact_of(d, "each further token"), "");
}

TEST(PredictJob, AllLayoutsAreSearched) {
  PredictOptions options;
  options.model = "llama-3.1-8b";
  options.system = "h100";
  options.run.training = true;
  options.run.batch = 64;
  options.run.sequence = 4096;
  options.run.parallel = "all=16";
  const finding::Diagnosis d = predict(options);
  EXPECT_EQ(d.facts.at(0).first, "layouts");
  EXPECT_THAT(d.facts[0].second, HasSubstr(" fit; the best: "));
  EXPECT_TRUE(std::ranges::any_of(d.facts, [](const auto& fact) {
    return fact.first == "layout 10";
  }));
  options.model = "llama-3.1-405b";
  options.run.parallel = "all=2";
  EXPECT_THAT(refusal(options), HasSubstr("fits the memory"));
}

TEST(PredictJob, ASheetOffByAThousandKeepsNoBand) {
  System slow = *find_shipped("h100");
  const Question product{Gemm{1, 4096, 14336, 4096, Precision::Bf16}, {}, {}};
  EXPECT_THAT(explain(slow, product).verdict, HasSubstr("nine of ten within"));
  slow.chip.memory_Bps /= 1000;
  const std::string verdict = explain(slow, product).verdict;
  EXPECT_THAT(verdict, HasSubstr("outside what was measured"));
  EXPECT_THAT(verdict, HasSubstr("Check memory_bandwidth 3.35 GB/s"));
  EXPECT_THAT(verdict, testing::Not(HasSubstr("nine of ten")));
  System small = *find_shipped("h100");
  small.chip.memory_bytes /= 1000;
  EXPECT_THAT(
      explain(small, product).verdict,
      testing::StartsWith("Does not fit: the operands take 256 MiB"));
  constexpr int64_t kHuge = int64_t{1} << 23;
  EXPECT_THAT(
      explain(*find_shipped("h100"), {Gemm{1, kHuge, kHuge, kHuge, Precision::Bf16}, {}, {}}).verdict,
      testing::StartsWith("Does not fit"));
}

TEST(PredictTableJob, TheUsersSheetAnswersAndAContradictionIsAnError) {
  const std::string question = "device,precision,m,n,k\nh100,bf16,4096,4096,4096\n";
  std::string slow = write_system(*find_shipped("h100"));
  slow.replace(
      slow.find("clock: "),
      slow.find('\n', slow.find("clock: ")) - slow.find("clock: "),
      "clock: 0.0183 GHz");
  const double shipped = std::stod(answers(question, "h100").at(1).at(5));
  const double given = std::stod(answers(question, file("slow.yaml", slow)).at(1).at(5));
  EXPECT_GT(given, 50 * shipped);
  EXPECT_THAT(refusal("device,m,n,k\nb200,128,128,128\n", "h100"), HasSubstr("--system is 'h100'"));
}

TEST(PredictTableJob, ATableWithoutOneAnswerIsAnError) {
  EXPECT_THAT(refusal("m,n,k\n0,1,1\n-1,1,1\n", "h100"), HasSubstr("none of the 2 rows"));
  const Rows rows = answers("m,n,k\n0,1,1\n16,16,16\n", "h100");
  EXPECT_EQ(rows.at(1).back(), "");
  EXPECT_NE(rows.at(2).back(), "");
}

}  // namespace
}  // namespace lento::predict
