// Bounds and factors of held waits, by hand and as inverses of one another; tails of waits.
#include "chip/fabric/slowed_waits.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chip/fabric/ends.h"
#include "chip/fabric/test_program.h"

namespace lento::chip {
namespace {

// One wait of three transfers, issued 100 and 40 cycles before the last; they take 300, 200 and 250.
struct Fixture {
  Fixture() {
    played.transfers = {{0, 0, 0, 900, 1200}, {0, 1, 0, 960, 1160}, {0, 2, 0, 1000, 1250}};
    compared = {{0, 0, 0, 0, 1000, 700, 280, 280}};
  }
  SlowedWaits slowed(std::vector<uint32_t> transfers) const {
    return SlowedWaits({{"x"}, std::move(transfers)}, played, compared, {0, 0, 0}, 30);
  }
  Played played;
  std::vector<ComparedWait> compared;
};

TEST(SlowedWaits, BoundIsTheLatestOfTheCandidatesTransfers) {
  const Fixture f;
  EXPECT_NEAR(std::exp(f.slowed({0}).bounds(2)[0]) * 280, -100 + 2 * 300 + 30, 1e-9);
  EXPECT_NEAR(std::exp(f.slowed({0, 1}).bounds(2)[0]) * 280, 530, 1e-9);
  EXPECT_NEAR(std::exp(f.slowed({0, 1, 2}).bounds(2)[0]) * 280, 530, 1e-9);
  EXPECT_NEAR(std::exp(f.slowed({1, 2}).bounds(3)[0]) * 280, 780, 1e-9);
}

TEST(SlowedWaits, NothingBeforeTheLastIssueIsABound) {
  const Fixture f;
  EXPECT_EQ(f.slowed({0}).bounds(0.2)[0], Ends::kFree);
}

TEST(SlowedWaits, FactorsUndoBounds) {
  const Fixture f;
  for (const std::vector<uint32_t>& transfers : {std::vector<uint32_t>{0}, {1}, {0, 2}, {0, 1, 2}}) {
    const SlowedWaits slowed = f.slowed(transfers);
    ASSERT_EQ(slowed.factors().size(), 1U);
    EXPECT_NEAR(std::exp(slowed.bounds(slowed.factors()[0])[0]) * 280, 700, 1e-9);
  }
}

TEST(SlowedWaits, WaitsThatAreNotComparedAreLeftOut) {
  const Fixture f;
  const SlowedWaits slowed({{"x"}, {0, 1}}, f.played, f.compared, {SIZE_MAX, SIZE_MAX, 0}, 30);
  EXPECT_EQ(slowed.count(), 0U);
  EXPECT_TRUE(slowed.factors().empty());
}

TEST(ComparedWaits, TailsBeginAtTheLastIssue) {
  const Fabric fabric(spec::mesh_fabric(3, 3));
  TransferTrace trace;
  for (int y = 0; y < 3; ++y)
    test::add_reader(trace, {0, 0, y}, {Place{0, 2, y}}, 4, 2, 1024, 100, 10, 500);
  PlayOptions options;
  options.issue = Issue::Stamps;
  const Played played = play(fabric, trace, options);
  const ComparedWaits all = compared_waits(fabric, trace, played);
  ASSERT_EQ(all.waits.size(), 6U);
  EXPECT_EQ(all.patterns, 1U);
  for (const ComparedWait& wait : all.waits) {
    EXPECT_DOUBLE_EQ(wait.tail, 510);  // the last issue is one gap before the wait begins
    EXPECT_NEAR(wait.modelled, played.waits[wait.wait].end - wait.last_issue, 1e-9);
  }
}

TEST(ComparedWaits, FewerThanFourEqualOnesSayNothing) {
  const Fabric fabric(spec::mesh_fabric(3, 3));
  TransferTrace trace;
  test::add_reader(trace, {0, 0, 0}, {Place{0, 2, 0}}, 4, 3, 1024, 100, 10, 500);
  test::add_reader(trace, {0, 0, 1}, {Place{0, 2, 1}}, 4, 4, 2048, 100, 10, 500);
  const ComparedWaits all = compared_waits(fabric, trace, play(fabric, trace, {}));
  EXPECT_EQ(all.left_out, 3U);
  EXPECT_EQ(all.waits.size(), 4U);
}

TEST(ComparedWaits, AnEarlierRunTakesTheModelsPlace) {
  const Fabric fabric(spec::mesh_fabric(3, 3));
  TransferTrace before;
  TransferTrace after;
  test::add_reader(before, {0, 0, 0}, {Place{0, 2, 0}}, 2, 5, 1024, 100, 10, 500);
  test::add_reader(after, {0, 0, 0}, {Place{0, 2, 0}}, 2, 5, 1024, 100, 10, 700);
  const EarlierTails earlier = tails_of(before);
  EXPECT_EQ(earlier.size(), 5U);
  for (const ComparedWait& wait : compared_waits(fabric, after, play(fabric, after, {}), &earlier).waits) {
    EXPECT_DOUBLE_EQ(wait.modelled, 510);
    EXPECT_DOUBLE_EQ(wait.tail, 710);
  }
}

}  // namespace
}  // namespace lento::chip
