#include "desk/expected.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lento::desk {
namespace {

using Outcome = ComparedSpeed::Outcome;

ExpectedOptions on_h100() {
  ExpectedOptions options;
  options.system = "h100";
  options.parallel = "tp=4";
  return options;
}

// 45 requests at a time, each of 128 tokens, after so many seconds.
MeasuredSpeed request_of(double seconds) {
  MeasuredSpeed speed;
  speed.value = seconds;
  speed.model = "meta-llama/Llama-3.1-70B-Instruct";
  speed.software = "vllm";
  speed.together = 45;
  speed.input_tokens = 1024;
  speed.output_tokens = 128;
  return speed;
}

TEST(Comparison, SlowAndImpossibleLieBeyondTheStatedError) {
  const auto compare = comparison(on_h100());
  std::string reason;
  const auto usual = compare(request_of(7), reason);
  ASSERT_TRUE(usual) << reason;
  EXPECT_EQ(usual->outcome, Outcome::AsExpected);
  EXPECT_EQ(compare(request_of(60), reason)->outcome, Outcome::Slow);
  EXPECT_EQ(compare(request_of(0.1), reason)->outcome, Outcome::Impossible);
  EXPECT_NEAR(compare(request_of(60), reason)->factor, 60 / 7.0 * usual->factor, 1e-6);
}

TEST(Comparison, ATrainingRunByItsTokens) {
  ExpectedOptions options = on_h100();
  options.model = "llama-3.1-8b";
  options.parallel = "dp=8,zero=3";
  options.sequence = 8192;
  const auto compare = comparison(options);
  MeasuredSpeed speed;
  speed.kind = MeasuredSpeed::Kind::TokensPerGpu;
  speed.batch = 16;
  std::string reason;
  for (const auto& [tokens, outcome] :
       {std::pair{9000.0, Outcome::AsExpected}, std::pair{1000.0, Outcome::Slow}}) {
    speed.value = tokens;
    ASSERT_TRUE(compare(speed, reason)) << reason;
    EXPECT_EQ(compare(speed, reason)->outcome, outcome);
  }
  speed.batch = 0;
  EXPECT_FALSE(compare(speed, reason));
  EXPECT_NE(reason.find("--batch"), std::string::npos);
}

// Rings over the links of eight H100 reach about 340 GB/s in a large all-reduce, switches that reduce about
// 480.
TEST(Comparison, ACollectiveAgainstTheLinks) {
  const auto compare = comparison(on_h100());
  MeasuredSpeed speed;
  speed.kind = MeasuredSpeed::Kind::BusBandwidth;
  speed.collective = "all-reduce";
  speed.bytes = 8.6e9;
  speed.devices = 8;
  std::string reason;
  for (const auto& [bus, outcome] :
       {std::pair{340e9, Outcome::AsExpected},
        std::pair{180e9, Outcome::Slow},
        std::pair{475e9, Outcome::Fast}}) {
    speed.value = bus;
    const auto found = compare(speed, reason);
    ASSERT_TRUE(found) << reason;
    EXPECT_EQ(found->outcome, outcome) << found->text;
  }
  speed.collective = "";
  EXPECT_FALSE(compare(speed, reason));
}

TEST(Comparison, WhatIsNotKnownIsAReasonOrAnError) {
  EXPECT_FALSE(comparison({}));
  std::string reason;
  MeasuredSpeed speed = request_of(7);
  speed.model = "house-model-9";
  EXPECT_FALSE(comparison(on_h100())(speed, reason));
  EXPECT_NE(reason.find("house-model-9"), std::string::npos);
  ExpectedOptions options = on_h100();
  options.precision = "bf17";
  EXPECT_THROW(comparison(options), base::Error);
  options = on_h100();
  options.system = "h1000";
  EXPECT_THROW(comparison(options), base::Error);
}

}  // namespace
}  // namespace lento::desk
