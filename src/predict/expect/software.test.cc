// The table of software: what is written is read back, names are found in any spelling, others are refused.
#include "predict/expect/software.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lento::predict {
namespace {

using testing::HasSubstr;

std::string refused(Work work, const std::string& text) {
  try {
    stack_called(work, text, {"--framework"});
  } catch (const base::Error& e) {
    return e.what();
  }
  return {};
}

TEST(Software, StacksAreFoundInEverySpelling) {
  for (const char* text : {"TensorRT-LLM", "tensorrt_llm", "TRTLLM", "trt-llm"})
    EXPECT_EQ(stack_called(Work::Serve, text, {}), "tensorrt-llm") << text;
  EXPECT_EQ(stack_called(Work::Serve, "vLLM", {}), "vllm v1");
  EXPECT_EQ(stack_called(Work::Train, "FSDP", {}), "pytorch fsdp1");
  EXPECT_EQ(stack_called(Work::Train, "DeepSpeed", {}), "deepspeed");
  EXPECT_EQ(stack_called(Work::Train, "", {}), "");
}

TEST(Software, OthersAreRefusedWithTheNearestName) {
  EXPECT_THAT(refused(Work::Serve, "sglan"), HasSubstr("sglang"));
  EXPECT_THAT(refused(Work::Train, "torchtitn"), HasSubstr("torchtitan"));
  EXPECT_THAT(refused(Work::Train, "vllm"), HasSubstr("no software of training is called 'vllm'"));
}

TEST(Software, TheTableReadsBackAsItWasWritten) {
  SoftwareTable table;
  table.stacks.push_back({Work::Train, "", 3, 2, {0.5, 1, 2, 0.25, 0.001, 1, 1, 1}});
  table.stacks.push_back({Work::Serve, "vllm v1", 9, 4, {1, 2, 3, 4, 5, 6, 7, 8}});
  table.errors.push_back({Work::Serve, "a/b#1", "vllm v1", true, "h100", "fp8", -0.25, 0.5});
  const SoftwareTable back = parse_software(format_software(table), "software.csv");
  ASSERT_EQ(back.stacks.size(), 2u);
  EXPECT_EQ(back.stacks[1].stack, "vllm v1");
  EXPECT_EQ(back.stacks[1].scalars, table.stacks[1].scalars);
  EXPECT_EQ(back.errors.at(0).log_error, -0.25);
  EXPECT_EQ(back.errors[0].over_limit, 0.5);
  EXPECT_TRUE(back.errors[0].known_stack);
  EXPECT_EQ(format_software(back), format_software(table));
  // What was not fitted is given the centre.
  EXPECT_EQ(&back.find(Work::Train, "nemo"), &back.stacks[0]);
}

TEST(Software, AStackThatWasNotFittedIsGivenTheNearestThatWas) {
  SoftwareTable table;
  for (const char* stack : {"", kEager, "sglang"})
    table.stacks.push_back({Work::Serve, stack, 1, 1, {}});
  const auto nearest = [&](const char* stack, const char* chip) {
    return table.find(Work::Serve, stack_on(stack, chip)).stack;
  };
  EXPECT_EQ(nearest("sglang", "h100"), "sglang");
  EXPECT_EQ(nearest("sglang", "mi300x"), "sglang");  // as fitted on other devices
  EXPECT_EQ(nearest("accelerate", "mi300x"), kEager);
  EXPECT_EQ(nearest("tensorrt-llm", "h100"), "");
  EXPECT_EQ(nearest("", "mi300x"), "");
  table.stacks.push_back({Work::Serve, "sglang rocm", 1, 1, {}});
  EXPECT_EQ(nearest("sglang", "mi300x"), "sglang rocm");
  EXPECT_EQ(nearest("sglang", "h100"), "sglang");
}

// vLLM fills nine tenths of the device with weights and cache. Other stacks take nine tenths of what is free.
TEST(Software, StacksHaveTheirOwnShareOfTheMemory) {
  EXPECT_EQ(cache_share_of("vllm v1").of_all, 0.9);
  EXPECT_EQ(cache_share_of("tensorrt-llm").of_all, 1);
  EXPECT_EQ(cache_share_of("tensorrt-llm").of_left, 0.9);
  EXPECT_EQ(cache_share_of("never heard of").of_left, 0.9);
}

TEST(Software, ABrokenTableIsRefusedAtItsLine) {
  for (const char* bad :
       {"stack,train,x,1,1,1",
        "stack,rest,x,1,1,1,1,1,1,1,1,1,1",
        "who,train",
        "error,serve,a,b,1,c,d,x,1"}) {
    try {
      parse_software("# head\n" + std::string(bad) + "\n", "software.csv");
      FAIL() << bad;
    } catch (const base::Error& e) {
      EXPECT_THAT(std::string(e.what()), HasSubstr("software.csv:2")) << bad;
    }
  }
}

TEST(Software, TheShippedScalarsLieInTheirBounds) {
  for (const Software& s : shipped_software().stacks) {
    for (size_t i = 0; i < kSoftwareScalars; ++i) {
      const SoftwareScalar& scalar = scalars_of(s.work)[i];
      EXPECT_GE(s.scalars[i], scalar.low * 0.999) << s.stack << " " << scalar.name;
      EXPECT_LE(s.scalars[i], scalar.high * 1.001) << s.stack << " " << scalar.name;
    }
  }
  for (const Work work : {Work::Train, Work::Serve})
    EXPECT_GT(shipped_software().find(work, "").runs, 40u);
}

}  // namespace
}  // namespace lento::predict
