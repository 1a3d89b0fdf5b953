// Pictures of a job whose fault is known.
#include "fleet/ranks/figures.h"

#include <gmock/gmock.h>

#include <set>

#include "fleet/ranks/ranks.h"
#include "fleet/ranks/test_job.h"

namespace lento::fleet::ranks {
namespace {

using test::build;
using test::Small;
using ::testing::ElementsAre;
using ::testing::SizeIs;

class RankFigures : public ::testing::Test {
 protected:
  void draw(const Small& s, const RanksOptions& options = {}) {
    diagnosis_ = diagnose_ranks(build(s), options);
  }
  template <class Body>
  const Body& body(const std::string& begin) const {
    for (const finding::Figure& f : diagnosis_.figures) {
      if (f.title.starts_with(begin))
        return std::get<Body>(f.body);
    }
    static const Body none;
    ADD_FAILURE() << "no figure " << begin;
    return none;
  }
  bool drawn(const std::string& begin) const {
    return std::ranges::any_of(diagnosis_.figures, [&](const finding::Figure& f) {
      return f.title.starts_with(begin);
    });
  }
  finding::Diagnosis diagnosis_;
};

Small slow() {
  Small s;
  s.slow_rank = 5;
  s.from = 30;
  return s;
}

TEST_F(RankFigures, LanesShowSoManyStepsOfEachRank) {
  for (const int steps : {1, 3}) {
    RanksOptions o;
    o.lane_steps = steps;
    draw(slow(), o);
    const auto& lanes = body<finding::TimelineFigure>("Ranks on one clock, from step");
    std::set<std::string> tracks;
    size_t collectives = 0;
    size_t late = 0;
    for (const auto& span : lanes.spans) {
      tracks.insert(span.track);
      collectives += span.label != "own";
      late += span.label == "own" && span.blamed;
      EXPECT_LE(span.begin, span.end);
      if (span.label == "own") {
        EXPECT_EQ(span.blamed, span.track == "rank5");
      }
    }
    EXPECT_THAT(tracks, SizeIs(8));
    EXPECT_EQ(collectives, size_t(steps) * 8 * 6);  // of a rank: four of its pair, two across hosts
    EXPECT_GE(late, size_t(steps) * 4);
  }
}

TEST_F(RankFigures, TheLagTellsASlowRankFromOneThatItHoldsUp) {
  draw(slow());
  const auto& map = body<finding::HeatMapFigure>("Lag by rank and communicator");
  ASSERT_THAT(map.rows, SizeIs(8));
  ASSERT_THAT(map.columns, SizeIs(3));
  EXPECT_EQ(map.x_name, "communicator: 0 CP, 1 DP, 2 TP");
  EXPECT_THAT(map.blamed, ElementsAre("rank5"));
  const auto lag = [&](size_t row, size_t column) {
    return map.values[row * 3 + column];
  };
  // Inside its pair it alone is late; beside others its partner is as late, because it waited for it.
  for (size_t row = 0; row < 8; ++row) {
    if (row != 5) {
      EXPECT_LT(lag(row, 2), 0.3 * lag(5, 2)) << row;
    }
  }
  EXPECT_NEAR(lag(4, 1), lag(5, 1), 0.3);
  EXPECT_GT(lag(5, 1), 2 * lag(0, 1));
}

TEST_F(RankFigures, TheExcessIsDrawnByStepWithItsBegin) {
  draw(slow());
  const auto& series = body<finding::SeriesFigure>("Own time beyond the peers'");
  ASSERT_THAT(series.lines, SizeIs(8));
  ASSERT_THAT(series.marks, SizeIs(1));
  EXPECT_NEAR(series.marks[0], 30, 2);
  for (const auto& line : series.lines) {
    EXPECT_EQ(line.blamed, line.name == "rank5");
    ASSERT_EQ(line.x.size(), line.y.size());
    double after = 0;
    size_t count = 0;
    for (size_t i = 0; i < line.x.size(); ++i) {
      if (line.x[i] < 35)
        continue;
      after += line.y[i];
      ++count;
    }
    EXPECT_NEAR(after / double(count), line.name == "rank5" ? 6 : 0, 0.6) << line.name;
  }
}

TEST_F(RankFigures, LinksHaveTheirRatioToOthersOfTheirKind) {
  Small s;
  s.slow_nic = 1;
  s.factor = 2;
  draw(s);
  const auto& graph = body<finding::GraphFigure>("Links between hosts");
  EXPECT_THAT(graph.nodes, SizeIs(4));
  ASSERT_THAT(graph.edges, SizeIs(2));
  for (const auto& edge : graph.edges)
    EXPECT_NEAR(edge.value, edge.from == "host0" ? 2 : 1, 0.15) << edge.from;
  const auto blamed = std::ranges::count_if(graph.nodes, [](const auto& node) {
    return node.blamed;
  });
  EXPECT_EQ(blamed, 1);
}

TEST_F(RankFigures, WhatAStepWouldTake) {
  draw(slow());
  const auto& bars = body<finding::BarsFigure>("What a step would take");
  EXPECT_THAT(bars.categories, ElementsAre("as recorded", "without rank5", "without all"));
  ASSERT_THAT(bars.values, SizeIs(1));
  ASSERT_THAT(bars.values[0], SizeIs(3));
  EXPECT_GT(bars.values[0][0], bars.values[0][1]);
  EXPECT_NEAR(bars.values[0][1], bars.values[0][2], 0.1);            // there is nothing else
  EXPECT_NEAR(bars.values[0][0] - bars.values[0][2], 6 * 0.5, 0.3);  // half of the steps
}

TEST_F(RankFigures, ClocksOfTheHosts) {
  draw({});
  const auto& table = body<finding::TableFigure>("Clocks of the hosts");
  ASSERT_THAT(table.rows, SizeIs(4));
  for (const auto& row : table.rows)
    EXPECT_EQ(row.size(), table.columns.size());
  EXPECT_EQ(table.rows[0][0], "host0");
  EXPECT_EQ(table.rows[0][1], "0");  // the clock that others are brought to
}

TEST_F(RankFigures, HealthyJobsHaveNoBars) {
  draw({});
  EXPECT_FALSE(drawn("What a step would take"));
  EXPECT_TRUE(drawn("Own time beyond the peers'"));
  RanksOptions none;
  none.figures = false;
  draw({}, none);
  EXPECT_TRUE(diagnosis_.figures.empty());
}

}  // namespace
}  // namespace lento::fleet::ranks
