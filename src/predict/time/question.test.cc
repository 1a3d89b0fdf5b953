// Which question a table asks, what it measured, and which machine answers.
#include "predict/time/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_error.h"
#include "predict/time/rows/row_fields.h"
#include "predict/time/test_table.h"

namespace lento::predict {
namespace {

using base::test::error_of;
using test::OneRow;
using testing::HasSubstr;

constexpr const char* kMegatron = "gpu,hidden,layers,heads,seq_len,global_batch,gpus,tp,pp,dp";

TEST(Dialect, ColumnsDecideWhateverElseIsThere) {
  const std::pair<const char*, Dialect> spoken[] = {
      {"op,B,M,N,K,latency_ms", Dialect::NeuSight},
      {"m,n,k", Dialect::Gemm},
      {"gpu,K,M,N", Dialect::Gemm},
      {"cell,hidden,batch,timesteps,fwd_ms", Dialect::Lstm},
      {"size_B,n_gpus", Dialect::CollectiveBytes},
      {"op_name,num_gpus,message_elems,nccl_dtype", Dialect::CollectiveElements},
      {"hidden size,# layers,tensor parallelism", Dialect::TrainVtrain},
      {"hidden_size,num_layers,mbs,dp,tp", Dialect::TrainNanotron},
      {"model,recompute,microbatch,tp", Dialect::TrainKorthikanti},
      {kMegatron, Dialect::TrainMegatron},
      {"setup,model,isl,osl,load", Dialect::ServeBatch},
      {"model,chip,tp,pp,isl,osl,load", Dialect::ServeTrtllm},
      {"model,n_chips,per_device_batch,remat", Dialect::TrainMaxtext},
      {"device,model,mode,seq_len,batch", Dialect::NeusightRun},
      {"device,model,global_batch,strategy", Dialect::NeusightGpus},
      {"tokens,model_dim,inter_dim,experts,topk", Dialect::ExpertsAmd},
      {"batch_size,isl,num_heads,num_key_value_heads", Dialect::Attention},
      {"config,Input Tokens,Output Tokens", Dialect::Inference}};
  for (const auto& [header, dialect] : spoken) {
    const auto fields = std::count(header, header + std::string_view(header).size(), ',');
    EXPECT_EQ(OneRow(header, std::string(size_t(fields), ',')).dialect(), dialect) << header;
  }
}

TEST(Dialect, ColumnsThatFitNothingAreToldWithTheirFile) {
  const OneRow row("a,b", "1,2");
  EXPECT_THAT(
      error_of([&] {
        row.dialect();
      }),
      testing::AllOf(HasSubstr("lento_one_row.csv"), HasSubstr("fit no kind of question")));
}

TEST(Question, EveryUnitOfTimeIsSeconds) {
  const auto measured = [](const char* header, const char* row) {
    return OneRow(header, row).measured().value_or(-1);
  };
  EXPECT_DOUBLE_EQ(measured("m,n,k,measured_s", "1,1,1,0.25"), 0.25);
  EXPECT_DOUBLE_EQ(measured("m,n,k,latency_ms", "1,1,1,250"), 0.25);
  EXPECT_DOUBLE_EQ(measured("m,n,k,latency_us", "1,1,1,250"), 250e-6);
  EXPECT_DOUBLE_EQ(measured("m,n,k,time_ms", "1,1,1,250"), 0.25);
  EXPECT_DOUBLE_EQ(measured("cell,hidden,batch,timesteps,fwd_ms", "LSTM,1,1,1,3"), 3e-3);
  EXPECT_DOUBLE_EQ(measured("size_B,n_gpus,oop_time_ns", "8,2,3"), 3e-9);
  EXPECT_DOUBLE_EQ(
      measured("hidden size,# layers,tensor parallelism,iteration time (ms)", "1,1,1,1500"),
      1.5);
  EXPECT_DOUBLE_EQ(measured("device,model,mode,seq_len,batch,e2e_ms", "h100,x,train,1,1,20"), 0.02);
  EXPECT_DOUBLE_EQ(measured("device,model,global_batch,strategy,measured_ms", "h100,x,1,DP,20"), 0.02);
}

TEST(Question, WhatIsNoPositiveNumberWasNotMeasured) {
  for (const char* value : {"", "0", "-1", "OOM", "nan", "inf"})
    EXPECT_FALSE(OneRow("m,n,k,measured_s", std::string("1,1,1,") + value).measured().has_value()) << value;
  EXPECT_FALSE(OneRow("m,n,k", "1,1,1").measured().has_value());
  EXPECT_FALSE(OneRow("m,n,k,latency_ms,suspect", "1,1,1,2,below memory").measured().has_value());
}

TEST(Question, RatesBecomeTheTimeOfAnIteration) {
  // 16 sequences of 1024 tokens over 8 devices at 512 tokens a second each.
  const OneRow nanotron(
      "hidden_size,num_layers,num_heads,vocab_size,seq_len,mbs,batch_accum,dp,tp,pp,tok/s/gpu",
      "1024,4,16,32000,1024,2,2,4,2,1,512");
  EXPECT_NEAR(*nanotron.measured(), 16.0 * 1024 / (512 * 8), 1e-12);
  // 64 requests of 100 tokens each at 320 tokens a second.
  const OneRow trtllm(
      "model,chip,tp,pp,isl,osl,load,output_tokens_per_s",
      "llama-3-70b,h100,8,1,100,100,max,320");
  EXPECT_NEAR(*trtllm.measured() * 320, 1500.0 * 100, 1e-6);
  const OneRow nim(
      "config,Input Tokens,Output Tokens,Concurrency,TTFT (ms),ITL (ms)",
      "4xH100_fp16_Llama3_3-70B,200,101,8,50,10");
  EXPECT_NEAR(*nim.measured(), 0.05 + 100 * 0.01, 1e-12);
}

// Narayanan et al. 2021, equation 3: 96 B s l h^2 (1 + s/6h + V/16lh) with recomputation, over the rate.
TEST(Question, MegatronsCountOfOperationsGivesItsTime) {
  const OneRow row(
      std::string(kMegatron) + ",vocab,tflops_per_gpu",
      "a100,1024,8,16,512,64,8,8,1,1,51200,100");
  const double h = 1024;
  const double s = 512;
  const double flops = 72 * 64 * s * 8 * h * h * (1 + s / (6 * h)) + 6 * 64 * s * h * 51200;
  EXPECT_NEAR(*row.measured(), flops / (100e12 * 8), 1e-12);
}

TEST(Question, TheSameTokensAtADoubledRateTakeHalf) {
  const auto seconds = [](const char* rate) {
    return *OneRow(
                "model,chip,n_gpus,seq_len,tp,pp,cp,global_batch_seqs,tokens_per_s_per_gpu",
                std::string("llama-3-8b,h100,16,4096,2,1,1,64,") + rate)
                .measured();
  };
  EXPECT_NEAR(seconds("1000"), 64.0 * 4096 / (1000 * 16), 1e-9);
  EXPECT_NEAR(seconds("2000") * 2, seconds("1000"), 1e-9);
}

TEST(SystemFor, RowsOrCommandsNameTheMachine) {
  const Question h100 = OneRow("gpu,m,n,k", "h100,8,8,8").question();
  const Question none = OneRow("m,n,k", "8,8,8").question();
  EXPECT_EQ(system_for(nullptr, h100).name, "h100");
  EXPECT_THAT(
      error_of([&] {
        system_for(nullptr, none);
      }),
      HasSubstr("neither the row nor the command"));
  const System a100 = read_system("a100");
  EXPECT_EQ(system_for(&a100, none).name, "a100");
  EXPECT_THAT(
      error_of([&] {
        system_for(&a100, h100);
      }),
      testing::AllOf(HasSubstr("the row is of 'h100'"), HasSubstr("a100")));
  EXPECT_EQ(system_for(&a100, OneRow("gpu,m,n,k", "A100,8,8,8").question()).name, "a100");
}

TEST(SystemFor, TheStackIsTheRowsFramework) {
  System s = read_system("h100");
  Stack own;
  own.framework = "mine";
  own.launch_s = 7e-6;
  s.frameworks.push_back(own);
  Question q = OneRow("m,n,k,framework", "8,8,8,mine").question();
  EXPECT_EQ(q.framework, "mine");
  EXPECT_DOUBLE_EQ(system_for(&s, q).stack.launch_s, 7e-6);
  EXPECT_DOUBLE_EQ(specialised(s, q).stack.launch_s, 7e-6);
  q.framework = "other";
  EXPECT_NE(system_for(&s, q).stack.launch_s, 7e-6);
}

TEST(RowFields, NumbersAreWholeAndInRange) {
  const OneRow row("a,b,c,d,e", "5,2.5,0,,n/a");
  const base::CsvReader& t = row.table();
  EXPECT_EQ(whole(t, "a"), 5);
  EXPECT_EQ(whole(t, "c", 0), 0);
  EXPECT_THAT(
      error_of([&] {
        whole(t, "b");
      }),
      HasSubstr("'2.5' is no whole number from 1 to"));
  EXPECT_THROW(whole(t, "c"), base::Error);
  EXPECT_THROW(whole(t, "a", 6), base::Error);
  EXPECT_THROW(whole(t, "a", 1, 4), base::Error);
  EXPECT_THROW(whole(t, "x"), base::Error);
  EXPECT_EQ(whole_or(t, "a", 9), 5);
  EXPECT_EQ(whole_or(t, "d", 9), 9);
  EXPECT_EQ(whole_or(t, "e", 9), 9);
  EXPECT_EQ(whole_or(t, "x", 9), 9);
  EXPECT_EQ(text_or(t, {"x", "d", "b"}), "2.5");
  EXPECT_EQ(text_or(t, {"x", "d"}, "none"), "none");
}

TEST(RowFields, WaysBeyondWhatIsBuiltAreRefusedNotCut) {
  EXPECT_EQ(ways(OneRow("tp", "16384").table(), "tp"), 16384);
  EXPECT_EQ(ways(OneRow("tp,x", ",1").table(), "tp"), 1);
  EXPECT_EQ(ways(OneRow("x", "1").table(), "tp"), 1);
  for (const char* wrong : {"16385", "0", "-2", "1.5", "two"}) {
    EXPECT_THROW(ways(OneRow("tp", wrong).table(), "tp"), base::Error) << wrong;
  }
}

TEST(RowFields, TruthHasFourSpellings) {
  for (const char* yes : {"True", "true", "yes", "1"})
    EXPECT_TRUE(is_true(OneRow("a,b", std::string(yes) + ",x").table(), "a")) << yes;
  for (const char* no : {"False", "no", "0", "", "TRUE"})
    EXPECT_FALSE(is_true(OneRow("a,b", std::string(no) + ",x").table(), "a")) << no;
}

TEST(RowFields, PrecisionsAreFoundInTheFirstColumnThatSaysOne) {
  const auto precision = [](const char* header, const char* row) {
    return precision_of(OneRow(header, row).table(), Precision::Int8);
  };
  EXPECT_EQ(precision("precision,dtype", "bf16,fp8"), Precision::Bf16);
  EXPECT_EQ(precision("precision,dtype", ",fp8"), Precision::Fp8);
  EXPECT_EQ(precision("x", "1"), Precision::Int8);
  EXPECT_THAT(
      error_of([&] {
        precision("dtype", "bf17");
      }),
      testing::AllOf(HasSubstr("'bf17' is not known"), HasSubstr(":2")));
}

// Impossible numbers in rows are errors at their field: none may reach a division.
TEST(Rows, ImpossibleDevicesAreRefusedAtTheirField) {
  const auto error = [](const std::string& header, const std::string& row) {
    return error_of([&] {
      OneRow(header, row).question();
    });
  };
  const std::string maxtext = "model,chip,n_chips,seq_len,per_device_batch,ici_tp,remat";
  EXPECT_THAT(error(maxtext, "maxtext-16B,h100,8,2048,1,0,full"), HasSubstr("'0' is no whole number"));
  EXPECT_THAT(error(maxtext, "maxtext-16B,h100,8,2048,1,16,full"), HasSubstr("8 devices do not divide"));
  EXPECT_THAT(error(maxtext, "maxtext-16B,h100,8,2048,1e300,1,full"), HasSubstr("no number of sequences"));
  EXPECT_THAT(error(maxtext, "maxtext-16B,h100,8,2048,-1,1,full"), HasSubstr("no number of sequences"));
  EXPECT_EQ(error(maxtext, "maxtext-16B,h100,8,2048,0.5,2,full"), "no error");
  const std::string recipe = "model,chip,n_gpus,seq_len,tp,pp,cp,global_batch_tokens";
  EXPECT_THAT(error(recipe, "llama-3-8b,h100,8,4096,2048,2048,1024,65536"), HasSubstr("do not divide"));
  EXPECT_THAT(error(recipe, "llama-3-8b,h100,8,4096,1,1,1,1e300"), HasSubstr("no whole number"));
  EXPECT_EQ(error(recipe, "llama-3-8b,h100,8,4096,1,1,1,65536"), "no error");
  const std::string served = "setup,model,isl,osl,load";
  EXPECT_THAT(error(served, "0xH100,llama-3-70b,128,128,batch 4"), HasSubstr("out of range"));
  EXPECT_THAT(error(served, "1xH100 2FP8,llama-3-70b,128,128,batch 4"), HasSubstr("no device"));
  EXPECT_THAT(error(served, "8xH100,llama-3-70b,128,128,batch"), HasSubstr("no number in 'batch'"));
  EXPECT_THAT(error(served, "8xH100,llama-3-70b,128,1e300,batch 4"), HasSubstr("out of range"));
  EXPECT_EQ(error(served, "8xH100,llama-3-70b,128,128,batch 4"), "no error");
}

TEST(Rows, KernelsAreReadAsTheirTablesWriteThem) {
  const auto lstm = [](const char* row) {
    return std::get<LstmLayer>(OneRow("cell,hidden,batch,timesteps,pass", row).question().what);
  };
  EXPECT_EQ(lstm("LSTM,512,16,25,forward").gates, 4);
  EXPECT_EQ(lstm("GRU,512,16,25,backward_weights").gates, 3);
  EXPECT_EQ(lstm("vanilla,512,16,25,training").gates, 1);
  EXPECT_EQ(lstm("GRU,512,16,25,backward_inputs").pass, LstmLayer::Pass::BackwardInputs);
  EXPECT_THROW(lstm("GRU,512,16,25,sideways"), base::Error);
  const auto collective = [](const char* row) {
    return std::get<Collective>(OneRow("op_name,num_gpus,message_elems,nccl_dtype", row).question().what);
  };
  EXPECT_EQ(collective("all_gather,4,1000,fp32").bytes, 4000);
  EXPECT_EQ(collective("alltoall,4,1000,half").bytes, 2000);
  EXPECT_EQ(collective("reduce_scatter,4,1000,fp8").op, CollectiveOp::ReduceScatter);
  EXPECT_THROW(collective("gather,4,1000,fp8"), base::Error);
  const auto g = std::get<Gemm>(OneRow("op,B,M,N,K", "bmm,2,3,5,7").question().what);
  EXPECT_EQ(g, (Gemm{2, 3, 7, 5, Precision::Fp32}));
}

}  // namespace
}  // namespace lento::predict
