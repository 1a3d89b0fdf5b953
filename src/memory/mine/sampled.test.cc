// Sampled latency summed by code and by variable.
#include "memory/mine/sampled.h"

#include <gmock/gmock.h>

#include "memory/mine/test_trace.h"

namespace lento::memory {
namespace {

using test::answered;
using test::Trace;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

class SampledLatency : public ::testing::Test {
 protected:
  void read(const Trace& trace, const std::vector<program::NamedRange>& code = {}) {
    passes_ = std::make_unique<test::Passes>(trace, options_, code);
    passes_->space.add_data({0, 0x4000, 0x5000, "grid", ""});
    passes_->space.add_data({0, 0x8000, 0x8040, "block", "a.c:1"});
    passes_->space.add_data({0, 0x9000, 0x9040, "block", "a.c:1"});
  }
  std::vector<SampledShare> code() const {
    return sampled_code(passes_->scan, names());
  }
  std::vector<SampledShare> variables() const {
    return sampled_variables(passes_->scan, names());
  }

 private:
  ContentionNames names() const {
    return {options_, passes_->space, passes_->windows, passes_->functions};
  }
  ContentionOptions options_;
  std::unique_ptr<test::Passes> passes_;
};

TEST_F(SampledLatency, IsSummedByVariableAndSiteHitsIncluded) {
  read(
      {answered(10, 0, 0x4000, Service::L1, 4),
       answered(20, 1, 0x4f80, Service::LocalMemory, 200),
       answered(30, 0, 0x8000, Service::L3, 60),
       answered(40, 0, 0x9000, Service::L3, 50),
       answered(50, 0, 0xf010, Service::L2, 15),
       answered(60, 0, 0xf018, Service::L2, 14)});
  const auto v = variables();
  ASSERT_THAT(v, SizeIs(3));
  EXPECT_EQ(v[0].name, "grid");
  EXPECT_EQ(v[0].latency, 204u);
  EXPECT_EQ(v[0].samples, 2u);
  EXPECT_EQ(v[1].name, "block from a.c:1");
  EXPECT_EQ(v[1].latency, 110u);
  EXPECT_EQ(v[2].name, "0xf010");  // the slowest access of a block without a name
  EXPECT_EQ(v[2].latency, 29u);
}

TEST_F(SampledLatency, IsSummedByCode) {
  Trace trace = {
      answered(10, 0, 0x4000, Service::L1, 4),
      answered(20, 1, 0x4000, Service::L3, 40),
      answered(30, 0, 0x8000, Service::L3, 43)};
  trace[2].pc = 0x7040;
  read(trace, {{0, 0x1000, 0x1100, "work", ""}});
  const auto c = code();
  ASSERT_THAT(c, SizeIs(2));
  EXPECT_EQ(c[0].name, "work");
  EXPECT_EQ(c[0].latency, 44u);
  EXPECT_EQ(c[0].samples, 2u);
  EXPECT_EQ(c[1].name, "code at 0x7040");  // the slowest instruction of a page without a name
}

TEST_F(SampledLatency, OfWholeTracesIsNotSummed) {
  read(test::calm(100));
  EXPECT_THAT(code(), IsEmpty());
  EXPECT_THAT(variables(), IsEmpty());
}

TEST_F(SampledLatency, CountsWhatHasALatency) {
  Trace trace = {answered(10, 0, 0x4000, Service::L1, 4), answered(20, 1, 0x4000, Service::L1, 4)};
  trace[1].latency = memory::AccessRecord::kNoLatency;
  read(trace);
  EXPECT_EQ(variables().at(0).samples, 1u);
  EXPECT_EQ(code().at(0).samples, 1u);
}

TEST_F(SampledLatency, StandsAmongTheFactsHoweverTheVerdictIs) {
  Trace trace;
  for (uint64_t i = 0; i < 10; ++i)
    trace.push_back(answered(100 * i, uint16_t(i % 2), 0x4000, Service::L3, 30));
  trace.push_back(answered(2000, 0, 0xa000, Service::LocalMemory, 100));
  const finding::Diagnosis d = test::diagnose(trace);
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  EXPECT_THAT(d.facts, Contains(Pair("most sampled latency, code", "code at 0x1000 (100 %, 11 samples)")));
  EXPECT_THAT(d.facts, Contains(Pair("most sampled latency, data", "0x4000 (75 %, 10 samples)")));
  const finding::Diagnosis whole = test::diagnose(test::calm(100));
  for (const auto& [name, value] : whole.facts)
    EXPECT_THAT(name, Not(::testing::StartsWith("most sampled latency")));
}

}  // namespace
}  // namespace lento::memory
