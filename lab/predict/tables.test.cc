// Published tables as the laboratory reads them: which rows count, on whose chip, under which software, and
// that what cannot be used is left out instead of guessed.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "base/test_folder.h"
#include "lab/predict/field_tables.h"
#include "lab/predict/kernel_fit.h"
#include "lab/predict/serving_fit.h"
#include "lab/predict/training_runs.h"

namespace lento::predict {
namespace {

using PublishedRuns = base::test::FolderTest;
using TableCases = base::test::FolderTest;
using ServedPoints = base::test::FolderTest;
using KernelTables = base::test::FolderTest;

constexpr const char* kMegatron =
    "model,heads,hidden,layers,tp,pp,dp,gpus,global_batch,seq_len,vocab,tflops_per_gpu,mfu_pct,aggregate_"
    "pflops,source\n";
constexpr const char* kMosaic =
    "model,section,chip,n_gpus,seq_len,micro_batch,grad_accum,global_batch_seqs,precision,mixed_precision_"
    "mode,sharding,activation_checkpointing,activation_offload,params,tokens_per_s_per_gpu,model_tflops_per_"
    "gpu,mfu_pct,hfu_pct,source\n";
constexpr const char* kTitan =
    "model,chip,n_gpus,seq_len,local_batch_seqs,global_batch_seqs,fsdp,tp,pp,cp,precision,torch_compile,"
    "activation_checkpointing,async_tp,pp_schedule,tokens_per_s_per_gpu,peak_mem_gib,hardware,source\n";

std::string mosaic_row(int sequence, double tokens, const char* chip = "h100_80gb") {
  return std::string("MPT-7b,made up,") + chip + ",8," + std::to_string(sequence) +
         ",4,1,32,amp_bf16,DEFAULT,FULL_SHARD,True,False,6658859008," + std::to_string(tokens) +
         ",300,30,40,here\n";
}

TEST_F(PublishedRuns, TheTablesChipIsTakenWhereRowsNameNone) {
  file(
      "train_megatron_core_h100.csv",
      std::string(kMegatron) + "one,16,2048,24,1,1,48,48,192,4096,131072,200,20,10,here\n" +
          "two,16,2048,24,1,1,48,48,192,4096,131072,400,40,20,here\n");
  const std::vector<PublishedRun> runs = published_runs(folder_);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].chip, "h100");
  EXPECT_EQ(runs[0].table, "Megatron-Core");
  EXPECT_EQ(runs[1].measured.index, 1U);
  EXPECT_NEAR(runs[0].measured.seconds / runs[1].measured.seconds, 2, 1e-9);  // half the rate
  EXPECT_EQ(runs[0].run().devices(), 48);
  EXPECT_GT(runs[0].parameters, 1e9);
  EXPECT_EQ(runs[0].peak_bytes, 0);
}

TEST_F(PublishedRuns, PeaksAreBytesAndReleasesShareTheirSoftware) {
  file(
      "train_torchtitan.csv",
      std::string(kTitan) +
          "Llama-3.1-8B,H100-96GB-HBM2e-500W,8,8192,1,8,8,1,1,1,bf16,yes,selective,no,,6500,60,8x H100,"
          "here\n");
  const std::vector<PublishedRun> runs = published_runs(folder_);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].peak_bytes, 60.0 * (1 << 30));
  EXPECT_EQ(runs[0].software, "torchtitan");
  EXPECT_NEAR(runs[0].measured.seconds, 8192 / 6500.0, 1e-9);
}

TEST_F(PublishedRuns, RowsThatCannotBeUsedAreLeftOut) {
  EXPECT_TRUE(published_runs(folder_).empty());
  EXPECT_TRUE(published_runs(folder_ + "/absent").empty());
  file(
      "train_mpt_llmfoundry.csv",
      std::string(kMosaic) + mosaic_row(2048, 9000, "abacus") + mosaic_row(2048, 9000) +
          "MPT-7b,made up,h100_80gb,eight,2048,4,1,32,amp_bf16,DEFAULT,FULL_SHARD,True,False,6658859008,9000,"
          "300,30,40,here\n");
  const std::vector<PublishedRun> runs = published_runs(folder_);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].measured.index, 1U);
  EXPECT_EQ(runs[0].framework(), "llm-foundry");
}

TEST_F(TableCases, ATableIsOneSourceEvenlyThinned) {
  std::string text = kMosaic;
  for (int i = 0; i < 9; ++i)
    text += mosaic_row(2048, 9000 - 100 * i);
  file("train_mpt_llmfoundry.csv", text);
  const std::vector<FieldCase> all = table_cases(folder_);
  ASSERT_EQ(all.size(), 9U);
  const std::vector<FieldCase> some = table_cases(folder_, 3);
  ASSERT_EQ(some.size(), 3U);
  for (size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].row.measured_s, all[3 * i].row.measured_s);
    EXPECT_EQ(some[i].row.group(), "table:MPT");
    EXPECT_EQ(some[i].stack, "llm-foundry");
    EXPECT_EQ(some[i].row.devices, 8);
    EXPECT_TRUE(some[i].trained && !some[i].served);
    EXPECT_GT(some[i].row.measured_s, some[i].limit_s());
  }
  EXPECT_TRUE(table_cases(folder_, 0).empty());
}

TEST_F(TableCases, ARateOfTokensIsTheTimeOfTheLoadAndWhatDoesNotFitIsLeftOut) {
  const std::string head = "model,chip,tp,pp,n_gpus,precision,isl,osl,load,output_tokens_per_s,source\n";
  const std::string load = "\"offline, all requests at once\"";
  file(
      "serve_trtllm_throughput.csv",
      head + "Llama-3.3-70B,H100,4,1,4,fp8,128,128," + load + ",6000,here\n" +  //
          "Llama-3.3-70B,H100,4,1,4,fp8,128,128," + load + ",3000,here\n" +
          "Llama-3.3-70B,H100,1,1,1,bf16,128,128," + load + ",3000,here\n");
  const std::vector<FieldCase> cases = table_cases(folder_);
  ASSERT_EQ(cases.size(), 2U);  // 140 GB of weights are more than one device holds
  EXPECT_EQ(cases[0].stack, "tensorrt-llm");
  EXPECT_EQ(cases[0].row.chip, "h100");
  EXPECT_NEAR(cases[1].row.measured_s / cases[0].row.measured_s, 2, 1e-9);
  EXPECT_NEAR(cases[0].row.measured_s, cases[0].served->tokens() / 6000, 1e-9);
}

constexpr const char* kServed =
    "chip,framework,model,precision,spec_decode,disaggregated,multinode,prefill_gpus,prefill_tp,prefill_ep,"
    "prefill_dp_attn,prefill_workers,decode_gpus,decode_tp,decode_ep,decode_dp_attn,decode_workers,isl,osl,"
    "concurrency,ttft_ms_median,ttft_ms_mean,ttft_ms_p90,ttft_ms_p99,tpot_ms_median,tpot_ms_p99,itl_ms_"
    "median,itl_ms_p99,e2e_s_median,total_tokens_per_s_per_gpu,output_tokens_per_s_per_gpu,avg_power_w,date,"
    "source\n";

std::string served_row(int tensor, int together, double first_ms, double token_ms, double rate) {
  const std::string ways = std::to_string(tensor);
  const std::string pool = ways + "," + ways + ",1,0,0,";
  std::ostringstream out;
  out << "b200,sglang,DeepSeek-R1-0528,fp4,none,0,0," << pool << pool << "1024,1024," << together << ','
      << first_ms << ",0,,0," << token_ms << ",0,0,0,1,0," << rate << ",,2026-01-01,here\n";
  return out.str();
}

TEST_F(ServedPoints, DatesOfOneLoadCountByTheirMedian) {
  EXPECT_TRUE(served_points(folder_).empty());
  file(
      "serve_inferencex_dsr1.csv.gz",  // readers go by content, not by name
      std::string(kServed) + served_row(8, 4, 500, 10, 50) + served_row(8, 4, 700, 14, 60) +
          served_row(8, 4, 900, 11, 90) + served_row(8, 16, 800, 12, 160) +
          served_row(8, 64, 45'000, 12, 500));
  const std::vector<ServedPoint> points = served_points(folder_);
  ASSERT_EQ(points.size(), 2U);  // a first token after 45 s: the load was not sustained
  const bool order = std::get<ServingRun>(points[0].question.what).traffic.together == 4;
  const ServedPoint& four = points[order ? 0 : 1];
  EXPECT_NEAR(four.first_s, 0.7, 1e-12);
  EXPECT_NEAR(four.per_token_s, 0.011, 1e-12);
  EXPECT_NEAR(four.output_per_s, 60 * 8, 1e-9);  // of all eight devices
  EXPECT_EQ(points[0].deployment, points[1].deployment);
  EXPECT_FALSE(four.speculates);
}

TEST_F(ServedPoints, MediansOfWhatWasMeasuredAndNothingOfWhatDoesNotFit) {
  file(
      "serve_inferencex_dsr1.csv.gz",
      std::string(kServed) + served_row(8, 4, 500, 10, 50) + served_row(4, 4, 500, 0, 100));
  const std::vector<ServedPoint> points = served_points(folder_);
  ASSERT_EQ(points.size(), 2U);
  std::vector<JudgedPoint> judged;
  for (const ServedPoint& p : points) {
    JudgedPoint j{&p, {}};
    j.time.fits = true;
    j.time.first_token_s.p50 = 1.1 * p.first_s;
    j.time.per_token_s.p50 = 1.2 * p.per_token_s;
    j.time.output_tokens_per_s = p.output_per_s;
    judged.push_back(j);
  }
  std::map<std::string, ServingBar> bars;
  for (const ServingBar& bar : serving_bars(judged))
    bars[bar.what] = bar;
  const ServingBar& token = bars.at("time per output token, one pool, to 8 in flight");
  EXPECT_EQ(token.rows, 1U);  // the other has none
  EXPECT_NEAR(token.median, 0.2, 1e-9);
  EXPECT_FALSE(token.reached());
  EXPECT_NEAR(bars.at("first token, one pool, to 8 in flight").median, 0.1, 1e-9);
  const std::vector<SeenError> seen = seen_errors(judged);
  ASSERT_EQ(seen.size(), 4U);  // each of its chip and of all fitted chips
  for (const SeenError& e : seen)
    EXPECT_LE(e.error, 0.2 + 1e-9);
  judged[0].time.fits = judged[1].time.fits = false;
  EXPECT_EQ(serving_bars(judged).size(), 1U);
  EXPECT_TRUE(seen_errors(judged).empty());
}

// Rows of a kernel that states its time, on a chip that is shipped and on one that is not.
TEST_F(KernelTables, RowsRestOnTheScalarsOfTheirChip) {
  EXPECT_TRUE(kernel_rows(folder_).empty());
  const std::string head =
      "gpu,device,framework,version,kernel_source,attn_dtype,kv_cache_dtype,batch_size,isl,step,num_heads,"
      "num_key_value_heads,head_dim,window_size,latency_ms,suspect,source\n";
  const auto row = [](const char* gpu, int batch, const char* ms) {
    return std::string(gpu) + ",NVIDIA,SGLang,0.5.10,flash_attention,bfloat16,bfloat16," +
           std::to_string(batch) + ",1,1023,32,8,128,," + ms + ",,here\n";
  };
  file(
      "attention_generation_aiconfigurator.csv.gz",
      head + row("h100", 4, "0.03") + row("h100", 8, "0.05") + row("abacus", 8, "0.05") +
          row("h100", 16, "fast"));
  const std::vector<KernelRow> rows = kernel_rows(folder_);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].chip, "h100");
  EXPECT_EQ(rows[0].root, "h100");
  EXPECT_EQ(rows[0].framework, "SGLang");
  EXPECT_EQ(rows[0].name, "flash_attention");
  EXPECT_NEAR(rows[0].measured.seconds, 3e-5, 1e-12);
  const KernelScalars start = start_of(FusedKind::Decode);
  EXPECT_GT(time_kernel(rows[1].kernel, start).seconds, time_kernel(rows[0].kernel, start).seconds);
}

}  // namespace
}  // namespace lento::predict
