// Rows of published tables, as questions.
#include "predict/time/rows/rows.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "predict/time/workload.h"

namespace lento::predict {
namespace {

// The only row of a table with these two lines.
struct OneRow {
  base::ReadReport report;
  base::CsvReader table;
  Dialect dialect;

  OneRow(const std::string& header, const std::string& row)
      : table(written(header, row), report),
        dialect(dialect_of(table)) {
    EXPECT_TRUE(table.next());
  }
  static std::string written(const std::string& header, const std::string& row) {
    const std::string path = testing::TempDir() + "/rows.csv";
    std::ofstream(path) << header << "\n" << row << "\n";
    return path;
  }
};

Question ask(const std::string& header, const std::string& row) {
  OneRow one(header, row);
  return parse_question(one.dialect, one.table);
}

std::optional<double> measure(const std::string& header, const std::string& row) {
  OneRow one(header, row);
  return measured_s(one.dialect, one.table);
}

constexpr const char* kExperts =
    "gpu,framework,kernel_source,moe_dtype,num_tokens,hidden_size,inter_size,topk,num_experts,moe_tp_size,"
    "moe_ep_size,"
    "distribution,latency_ms";

TEST(Rows, ALayerOfExperts) {
  const Question q = ask(kExperts, "h100,SGLang,triton,fp8_block,64,7168,2048,8,256,2,4,power_law_1.2,1.5");
  const ExpertLayer& l = std::get<ExpertLayer>(q.what);
  EXPECT_EQ(l.tokens, 64);
  EXPECT_EQ(l.inner, 2048);
  EXPECT_EQ(l.tensor, 2);
  EXPECT_EQ(l.expert, 4);
  EXPECT_DOUBLE_EQ(l.skew, 1.2);
  EXPECT_EQ(l.format.name, "fp8_block");
  EXPECT_EQ(q.framework, "SGLang");
  EXPECT_DOUBLE_EQ(*measure(kExperts, "h100,SGLang,triton,fp8,1,1,1,1,1,1,1,balanced,1.5"), 1.5e-3);
}

TEST(Rows, WhatExpertsCannotBeIsNamed) {
  EXPECT_THROW(ask(kExperts, "h100,X,k,fp7,64,7168,2048,8,256,1,1,balanced,1"), base::Error);
  EXPECT_THROW(ask(kExperts, "h100,X,k,fp8,64,7168,2048,8,256,1,1,uniform,1"), base::Error);
  EXPECT_THROW(ask(kExperts, "h100,X,k,fp8,64,7168,2048,8,4,1,1,balanced,1"), base::Error);
}

TrainingRun training_of(const Question& q) {
  return std::get<TrainingRun>(q.what);
}

TEST(Rows, TorchtitanCutsTheLocalBatchByItsStages) {
  constexpr const char* kHeader =
      "model,chip,n_gpus,seq_len,local_batch_seqs,global_batch_seqs,fsdp,tp,pp,cp,precision,torch_compile,"
      "activation_checkpointing,async_tp,pp_schedule,tokens_per_s_per_gpu";
  const Question pipeline =
      ask(kHeader,
          "Llama-3.1-405B,h100-96,512,8192,32,256,8,8,8,1,fp8_linear,yes,full,yes,interleaved 1F1B,128");
  EXPECT_EQ(training_of(pipeline).micro_batch, 4);
  EXPECT_EQ(training_of(pipeline).interleave, 2);
  EXPECT_EQ(training_of(pipeline).zero, 2);
  EXPECT_EQ(pipeline.framework, "torchtitan");
  const Question eager = ask(kHeader, "Llama-3.1-8B,h100-96,8,8192,2,16,8,1,1,1,bf16,no,selective,no,,5762");
  EXPECT_EQ(training_of(eager).micro_batch, 2);
  EXPECT_EQ(training_of(eager).recompute, Recompute::Operators);
  EXPECT_EQ(eager.framework, "torchtitan eager");
  EXPECT_EQ(
      ask(kHeader, "Llama-3.1-8B,h100-96,8,8192,2,16,8,1,1,1,fp8_rowwise,yes,none,no,,1").framework,
      "torchtitan rowwise");
}

TEST(Rows, ReleasesOfMegatronBridgeAreToldApart) {
  constexpr const char* kHeader =
      "model,chip,n_gpus,precision,task,container,global_batch_seqs,micro_batch,seq_len,fsdp,tp,pp,cp,vp,ep,"
      "tokens_per_s_per_gpu";
  const auto framework = [&](const std::string& model, const char* precision, const char* container) {
    return ask(kHeader,
               model + ",H100,16," + precision + ",pretrain," + container + ",512,1,4096,0,1,1,1,n/a,8,1")
        .framework;
  };
  EXPECT_EQ(framework("Qwen3_30B_a3B", "FP8", "25.11"), "megatron bridge mixture 26.02");
  EXPECT_EQ(framework("Qwen3_30B_a3B", "FP8", "26.02"), "megatron bridge mixture 26.02");
  EXPECT_EQ(framework("Qwen3_30B_a3B", "FP8", "26.02.01"), "megatron bridge mixture 26.04");
  EXPECT_EQ(framework("Qwen3_30B_a3B", "FP8", "26.06"), "megatron bridge mixture");
  EXPECT_EQ(framework("Qwen3_30B_a3B (tokendrop)", "FP8", "25.09"), "megatron bridge mixture dropping");
  EXPECT_EQ(framework("LLAMA3_8B", "NVFP4", "26.06"), "megatron bridge fp4");
  EXPECT_EQ(framework("LLAMA3_8B", "FP8", "26.06"), "megatron bridge");
  const Question lora = ask(kHeader, "LLAMA3_70B,H100,8,FP8,lora,26.06,32,1,4096,,2,4,1,20,n/a,2643");
  EXPECT_TRUE(training_of(lora).frozen);
}

TEST(Rows, ChunksThatATableLeavesOutAreOneLayerEach) {
  constexpr const char* kHeader =
      "run,model,chip,n_gpus,precision,seq_len,global_batch_tokens,tp,cp,pp,dp,pp_schedule,vp,micro_batch,"
      "global_batch_seqs,ep";
  const Question open = ask(kHeader, "x,Llama-3.1-405B,H100,8192,bf16,8192,16777216,8,1,16,64,,,,,");
  EXPECT_EQ(training_of(open).interleave, 8);
  EXPECT_EQ(open.framework, "megatron");
  const Question dual = ask(kHeader, "x,DeepSeek-V3,H800,2048,fp8,4096,62914560,1,,16,128,DualPipe,,,,64");
  EXPECT_EQ(training_of(dual).schedule, Schedule::DualPipe);
  EXPECT_EQ(training_of(dual).interleave, 1);
}

// The same run said in YAML is the same question, so that it has the same answer.
TEST(Rows, ARecipeCanBeSaidInYaml) {
  constexpr const char* kHeader =
      "model,chip,n_gpus,seq_len,local_batch_seqs,global_batch_seqs,fsdp,tp,pp,cp,precision,torch_compile,"
      "activation_checkpointing,async_tp,pp_schedule,tokens_per_s_per_gpu";
  Question row = ask(kHeader, "Llama-3.1-8B,h100-96,16,8192,2,16,8,1,1,2,fp8_linear,yes,selective,no,,1");
  const std::string text =
      "schema: lento.workload/1\nframework: torchtitan\nsequence: 8192\nglobal_batch: 16\nmicro_batch: 2\n"
      "model: {layers: 32, hidden: 4096, heads: 32, kv_heads: 8, head_size: 128, ffn: 14336, vocab: 128256, "
      "gated: true, tied: false}\ndata: 8\ncontext: 2\nzero: 3\nrecompute: operators\nproducts: fp8\n"
      "overlap_gather: true\noverlap_pipeline: true\nexpanded_keys: true\n";
  row.device.clear();
  EXPECT_EQ(parse_workload(text, "w.yaml", {}), row);
}

TEST(Rows, SchedulesAreReadFromYaml) {
  const std::string start =
      "schema: lento.workload/1\nmodel: {layers: 8, hidden: 512, heads: 8}\npipeline: 4\n";
  const auto read = [&](const std::string& line) {
    return training_of(parse_workload(start + line + "\n", "w.yaml", {}));
  };
  EXPECT_EQ(read("schedule: zero bubble").schedule, Schedule::ZeroBubble);
  EXPECT_EQ(read("schedule: dual pipe").schedule, Schedule::DualPipe);
  EXPECT_TRUE(read("frozen: true").frozen);
  EXPECT_TRUE(read("recompute: open").recompute_open);
  EXPECT_THROW(read("schedule: gpipe"), base::Error);
  EXPECT_THROW(read("products: fp7"), base::Error);
}

TEST(Rows, MaxtextFillsTheMemoryWhereNoBatchIsTold) {
  constexpr const char* kHeader =
      "model,chip,n_chips,seq_len,per_device_batch,ici_tp,remat,tokens_per_s_per_chip";
  const TrainingRun open = training_of(ask(kHeader, "Mixtral-8x7B,TPU v6e,256,4096,,,,3899"));
  EXPECT_GT(open.micro_batch, 1);
  EXPECT_EQ(open.recompute, Recompute::Full);
  const TrainingRun told = training_of(ask(kHeader, "Mixtral-8x7B,TPU v6e,256,4096,1,,minimal,3899"));
  EXPECT_EQ(told.micro_batch, 1);
  EXPECT_EQ(told.recompute, Recompute::Selective);
}

TEST(Rows, ASweepTellsItsFormatInThreeColumns) {
  constexpr const char* kHeader =
      "gpu,tokens,model_dim,inter_dim,experts,topk,act_dtype,weight_dtype,quant,gate_and_up,latency_us";
  const auto format = [&](const std::string& types) {
    return std::get<ExpertLayer>(ask(kHeader, "MI355X,8,4096,512,64,8," + types + ",1,10").what).format.name;
  };
  EXPECT_EQ(format("bfloat16,bfloat16,No"), "bfloat16");
  EXPECT_EQ(format("float8_e4m3fn,float8_e4m3fn,per_1x128"), "fp8_block");
  EXPECT_EQ(format("float8_e4m3fn,float4_e2m1fn_x2,per_1x32"), "w4a8_mxfp4_mxfp8");
  EXPECT_EQ(format("bfloat16,int4,per_1x32"), "w4a16_int4");
}

TEST(Rows, AttentionOverAPromptHasNoStep) {
  constexpr const char* kPrompt =
      "gpu,attn_dtype,kv_cache_dtype,batch_size,isl,num_heads,num_key_value_heads,head_dim,window_size";
  const Question prompt = ask(kPrompt, "h100,bfloat16,fp8,4,1000,32,8,64,128");
  const AttentionKernel& p = std::get<AttentionKernel>(prompt.what);
  EXPECT_EQ(p.kind, FusedKind::Prefill);
  EXPECT_EQ(p.tokens, 1000);
  EXPECT_EQ(p.window, 128);
  EXPECT_DOUBLE_EQ(p.format.stored_bytes, 1);
  constexpr const char* kCache =
      "gpu,attn_dtype,kv_cache_dtype,batch_size,isl,step,num_heads,num_key_value_heads,head_dim";
  const Question cache = ask(kCache, "h100,bfloat16,bfloat16,4,1,1023,32,8,128");
  const AttentionKernel& c = std::get<AttentionKernel>(cache.what);
  EXPECT_EQ(c.kind, FusedKind::Decode);
  EXPECT_EQ(c.context, 1024);
  EXPECT_EQ(c.tokens, 1);
}

TEST(Rows, SuspectRowsMeasureNothing) {
  constexpr const char* kCache = "gpu,batch_size,isl,step,num_heads,num_key_value_heads,latency_ms,suspect";
  EXPECT_TRUE(measure(kCache, "h100,4,1,1023,32,8,0.1,"));
  EXPECT_FALSE(measure(kCache, "h100,4,1,1023,32,8,0.1,faster than memory"));
}

TEST(Rows, LatentAttention) {
  constexpr const char* kHeader = "gpu,op_name,mla_dtype,kv_cache_dtype,num_heads,batch_size,isl,step";
  const Question prompt = ask(kHeader, "b200,mla_context,bfloat16,fp8,16,2,4096,0");
  const Question cache = ask(kHeader, "b200,generation_mla,bfloat16,fp8,16,2,1,4095");
  EXPECT_EQ(std::get<AttentionKernel>(prompt.what).kind, FusedKind::LatentPrefill);
  EXPECT_EQ(std::get<AttentionKernel>(cache.what).kind, FusedKind::LatentDecode);
  EXPECT_EQ(std::get<AttentionKernel>(cache.what).context, 4096);
}

constexpr const char* kRecipe =
    "model,chip,n_gpus,precision,container,global_batch_seqs,micro_batch,seq_len,tp,pp,cp,vp,ep,tokens_per_s_"
    "per_gpu";

TEST(Rows, ARecipeFillsItsDevices) {
  const Question q = ask(kRecipe, "LLAMA3_70B,H100,64,FP8,26.04,256,1,8192,4,8,1,5,n/a,1633");
  const TrainingRun& r = std::get<TrainingRun>(q.what);
  EXPECT_EQ(r.devices(), 64);
  EXPECT_EQ(r.data, 2);
  EXPECT_EQ(r.interleave, 5);
  EXPECT_EQ(r.products, Precision::Fp8);
  EXPECT_EQ(r.precision, Precision::Bf16);
  EXPECT_EQ(q.framework, "megatron bridge");
  const double tokens = 256.0 * 8192;
  EXPECT_DOUBLE_EQ(
      *measure(kRecipe, "LLAMA3_70B,H100,64,FP8,26.04,256,1,8192,4,8,1,5,n/a,1633"),
      tokens / (1633 * 64.0));
}

TEST(Rows, ARecipeOfAnUnknownModelIsRefusedByName) {
  try {
    ask(kRecipe, "LLAMA9_70B,H100,64,FP8,26.04,256,1,8192,4,8,1,5,n/a,1633");
    FAIL() << "accepted";
  } catch (const base::Error& e) {
    EXPECT_NE(std::string(e.what()).find("LLAMA9_70B"), std::string::npos);
  }
}

TEST(Rows, DevicesThatDoNotDivideAreRefused) {
  EXPECT_THROW(ask(kRecipe, "LLAMA3_70B,H100,60,FP8,26.04,256,1,8192,4,8,1,5,n/a,1"), base::Error);
}

TEST(Rows, FullyShardedTraining) {
  constexpr const char* kHeader =
      "model,chip,n_gpus,seq_len,micro_batch,global_batch_seqs,precision,sharding,activation_checkpointing,"
      "tokens_per_s_per_gpu";
  const Question q = ask(kHeader, "MPT-30b,h100_80gb,16,2048,10,480,amp_bf16,FULL_SHARD,True,2263");
  const TrainingRun& r = std::get<TrainingRun>(q.what);
  EXPECT_EQ(r.zero, 3);
  EXPECT_EQ(r.data, 16);
  EXPECT_EQ(r.micro_batches(), 3);
  EXPECT_EQ(r.recompute, Recompute::Full);
  EXPECT_FALSE(r.products);
}

TEST(Rows, MaxTextCountsChips) {
  constexpr const char* kHeader = "model,chip,n_chips,seq_len,per_device_batch,ici_tp,remat,precision";
  const Question q =
      ask(kHeader, "maxtext-128B (global_parameter_scale=128),TPU v5p,128,2048,1,8,minimal,bf16");
  const TrainingRun& r = std::get<TrainingRun>(q.what);
  EXPECT_EQ(r.devices(), 128);
  EXPECT_EQ(r.global_batch, 128);
  EXPECT_NEAR(r.model.parameters(), 128e9, 13e9);
}

TEST(Rows, EndToEndRunsOfNeuSight) {
  constexpr const char* kHeader = "device,model,mode,seq_len,batch,variant,e2e_ms";
  const Question training = ask(kHeader, "NVIDIA_H100_80GB_HBM3,gpt2_large,train,1024,4,tp4,100");
  EXPECT_EQ(std::get<TrainingRun>(training.what).tensor, 4);
  EXPECT_EQ(std::get<TrainingRun>(training.what).precision, Precision::Fp32);
  const Question pass = ask(kHeader, "NVIDIA_L4,bert_large,inf,512,8,,100");
  const InferenceRun& eight = std::get<InferenceRun>(pass.what);
  EXPECT_EQ(eight.batch, 8);
  InferenceRun one = eight;
  one.batch = 1;
  const System& l4 = *find_shipped("l4");
  EXPECT_GT(predict_inference(l4, eight).seconds, 6 * predict_inference(l4, one).seconds);
  const Question four =
      ask("device,model,global_batch,strategy,measured_ms", "A100x4,GPT2-Large,4,PP,1597.6");
  EXPECT_EQ(std::get<TrainingRun>(four.what).pipeline, 4);
}

TEST(Rows, KernelsOfATraceAreThatSoftwares) {
  const char* columns = "gpu,op,dtype,m,n,k,kernel_us_median";
  EXPECT_EQ(ask(columns, "H100,aten::addmm,bf16,788,768,768,8.3").framework, kTraced);
  EXPECT_EQ(ask(columns, "H100,linear,bf16,788,768,768,8.3").framework, "");
}

constexpr const char* kServed =
    "chip,framework,model,precision,spec_decode,disaggregated,prefill_tp,prefill_ep,prefill_dp_attn,prefill_"
    "workers,"
    "decode_gpus,decode_tp,decode_ep,decode_dp_attn,decode_workers,isl,osl,concurrency,e2e_s_median";

TEST(Rows, AServedLoad) {
  const Question one =
      ask(kServed, "b200,sglang,DeepSeek-R1-0528,fp4,none,0,4,4,0,0,16,4,4,0,0,1024,8192,32,70");
  const ServingRun& r = std::get<ServingRun>(one.what);
  EXPECT_EQ(r.devices(), 4);  // not decode_gpus
  EXPECT_EQ(r.traffic.together, 32);
  EXPECT_EQ(r.accepted, 1);
  EXPECT_EQ(one.framework, "SGLang");
  const Question two =
      ask(kServed, "b200,dynamo-trt,DeepSeek-R1-0528,fp4,mtp,1,4,4,1,2,40,8,8,1,5,1024,1024,16,9");
  const ServingRun& d = std::get<ServingRun>(two.what);
  EXPECT_TRUE(d.two_pools);
  EXPECT_EQ(d.devices(), 2 * 4 + 5 * 8);
  EXPECT_GT(d.accepted, 1);
  EXPECT_EQ(two.framework, "TRTLLM");
}

TEST(Rows, LoadsAtOnceAndByRate) {
  constexpr const char* kHeader = "setup,model,isl,osl,load,n_requests,max_num_seqs,e2e_s";
  const Question batch = ask(kHeader, "8xH100 1FP8-meta,Llama-3.1-405B-FP8,128,2048,batch 64,64,,99");
  const ServingRun& b = std::get<ServingRun>(batch.what);
  EXPECT_TRUE(b.traffic.at_once);
  EXPECT_EQ(b.traffic.requests, 64);
  EXPECT_EQ(b.decode.tensor, 8);
  EXPECT_EQ(batch.device, "h100");
  const Question rate =
      ask(kHeader, "8xMi300x 2FP8-amd,Llama-3.1-405B-FP8,215 mean,122 mean,16 req/s,1000,1024,");
  const ServingRun& r = std::get<ServingRun>(rate.what);
  EXPECT_DOUBLE_EQ(r.traffic.per_s, 16);
  EXPECT_EQ(r.decode.copies, 2);
  EXPECT_EQ(r.decode.tensor, 4);
}

}  // namespace
}  // namespace lento::predict
