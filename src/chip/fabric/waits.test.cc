#include "chip/fabric/waits.h"

#include <gtest/gtest.h>

#include "chip/fabric/test_program.h"
#include "chip/fabric/tuning.h"

namespace lento::chip {
namespace {

using test::add_reader;

constexpr uint64_t kTail = 700;

// Two reads and a wait of `kTail` cycles after the last of them, `rounds` times.
TransferTrace reader(int rounds, uint64_t bytes = 512) {
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {{0, 1, 0}}, 2, rounds, bytes, 100, 10, kTail);
  return trace;
}

ComparedWaits
compared(const TransferTrace& trace, const EarlierTails* earlier = nullptr, uint32_t first = UINT32_MAX) {
  const Fabric fabric(spec::mesh_fabric(3, 1));
  PlayOptions stamps;
  stamps.issue = Issue::Stamps;
  return compared_waits(fabric, trace, play(fabric, trace, stamps), earlier, first);
}

TEST(ComparedWaits, ATailIsFromTheLastIssueToTheEnd) {
  const ComparedWaits waits = compared(reader(int(kEqualWaits)));
  ASSERT_EQ(waits.waits.size(), size_t(kEqualWaits));
  EXPECT_EQ(waits.patterns, 1u);
  EXPECT_EQ(waits.left_out, 0u);
  for (const ComparedWait& wait : waits.waits) {
    // The reader stamps the wait one gap after the last issue.
    EXPECT_EQ(wait.tail, double(kTail + 10));
    EXPECT_GT(wait.modelled, 512 / 32.0);
    EXPECT_LT(wait.modelled, wait.tail);
  }
}

TEST(ComparedWaits, TooFewEqualsAreLeftOutAndCounted) {
  const ComparedWaits waits = compared(reader(int(kEqualWaits) - 1));
  EXPECT_TRUE(waits.waits.empty());
  EXPECT_EQ(waits.left_out, uint32_t(kEqualWaits) - 1);
}

TEST(ComparedWaits, OtherBytesAreAnotherPattern) {
  TransferTrace trace = reader(int(kEqualWaits), 512);
  add_reader(trace, {0, 2, 0}, {{0, 1, 0}}, 2, int(kEqualWaits), 4096, 100, 10, kTail);
  const ComparedWaits waits = compared(trace);
  EXPECT_EQ(waits.patterns, 2u);
  for (const ComparedWait& wait : waits.waits)
    for (const ComparedWait& other : waits.waits)
      EXPECT_EQ(wait.pattern == other.pattern, wait.stream == other.stream);
  EXPECT_EQ(waits.streams.size(), waits.waits.size());
}

TEST(ComparedWaits, AWaitWithoutAnEndIsNotCompared) {
  TransferTrace trace = reader(int(kEqualWaits) + 1);
  for (TransferRecord& record : trace.streams[0].records) {
    if (!is_group(record.kind))
      continue;
    record.end = kNoTime;
    break;
  }
  EXPECT_EQ(compared(trace).waits.size(), size_t(kEqualWaits));
}

TEST(ComparedWaits, OnlyTheFirstWaitsOfEachStreamWhenAsked) {
  const auto most = uint32_t(kEqualWaits);
  EXPECT_EQ(compared(reader(int(most) + 5), nullptr, most).waits.size(), size_t(most));
}

TEST(ComparedWaits, AnEarlierRunSaysWhatATailShouldBe) {
  const TransferTrace trace = reader(int(kEqualWaits));
  EarlierTails earlier = tails_of(trace);
  ASSERT_EQ(earlier.size(), size_t(kEqualWaits));
  for (auto& [wait, tail] : earlier) {
    EXPECT_EQ(tail, double(kTail + 10));
    tail = 350;
  }
  const ComparedWaits waits = compared(trace, &earlier);
  EXPECT_EQ(waits.patterns, 1u);
  for (const ComparedWait& wait : waits.waits)
    EXPECT_EQ(wait.modelled, 350);
}

TEST(ComparedWaits, AWaitThatTheEarlierRunDoesNotHaveIsNotCompared) {
  EarlierTails earlier = tails_of(reader(int(kEqualWaits)));
  EXPECT_EQ(compared(reader(int(kEqualWaits) + 3), &earlier).waits.size(), size_t(kEqualWaits));
}

TEST(EarlierTailsOf, CountsOpenWaitsToo) {
  TransferTrace trace = reader(3);
  for (TransferRecord& record : trace.streams[0].records) {
    if (!is_group(record.kind))
      continue;
    record.end = kNoTime;
    break;
  }
  const EarlierTails tails = tails_of(trace);
  EXPECT_EQ(tails.size(), 2u);
  EXPECT_FALSE(tails.contains({0, 0}));
  EXPECT_TRUE(tails.contains({0, 2}));  // still the third
}

}  // namespace
}  // namespace lento::chip
