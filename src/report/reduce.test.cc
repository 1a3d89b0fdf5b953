#include "report/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/rng.h"

namespace lento::report {
namespace {

using namespace finding;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

HeatMapFigure map_of(size_t rows, size_t columns, uint64_t seed) {
  base::Rng rng(seed, "map");
  HeatMapFigure map;
  for (size_t r = 0; r < rows; ++r)
    map.rows.push_back("m" + std::to_string(r));
  for (size_t c = 0; c < columns; ++c)
    map.columns.push_back(double(c));
  for (size_t i = 0; i < rows * columns; ++i)
    map.values.push_back(rng.uniform() < 0.1 ? kNan : double(rng.below(1000)));
  return map;
}

template <class F>
F reduced_to(const F& f) {
  return std::get<F>(reduced(FigureBody(f)));
}

TEST(FiniteMaximum, LeavesOutWhatIsNoNumber) {
  const double values[] = {kNan, 3, -INFINITY, 7, INFINITY, kNan};
  EXPECT_EQ(finite_maximum(values, values + 6), 7);
  EXPECT_TRUE(std::isnan(finite_maximum(values, values + 1)));
  EXPECT_TRUE(std::isnan(finite_maximum(values, values)));
  const double negative[] = {-3, -1, -2};
  EXPECT_EQ(finite_maximum(negative, negative + 3), -1);
}

TEST(ReduceHeatMap, ASmallOneKeepsEveryValue) {
  const HeatMapFigure map = map_of(96, 900, 1);
  const HeatMapFigure out = reduced_to(map);
  EXPECT_EQ(out.rows, map.rows);
  EXPECT_EQ(out.columns, map.columns);
  ASSERT_EQ(out.values.size(), map.values.size());
  for (size_t i = 0; i < map.values.size(); ++i)
    EXPECT_TRUE(out.values[i] == map.values[i] || (std::isnan(out.values[i]) && std::isnan(map.values[i])));
}

TEST(ReduceHeatMap, KeepsItsSizeAndTheMaximum) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    base::Rng rng(seed, "size");
    const HeatMapFigure map = map_of(90 + rng.below(400), 850 + rng.below(400), seed);
    const HeatMapFigure out = reduced_to(map);
    EXPECT_LE(out.rows.size(), 96u);
    EXPECT_LE(out.columns.size(), 900u);
    EXPECT_EQ(out.values.size(), out.rows.size() * out.columns.size());
    const auto most = [](const HeatMapFigure& f) {
      return finite_maximum(f.values.data(), f.values.data() + f.values.size());
    };
    EXPECT_EQ(most(out), most(map));
  }
}

TEST(ReduceHeatMap, OneSpikeAnywhereIsSeen) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    base::Rng rng(seed, "spike");
    HeatMapFigure map = map_of(300, 1500, 1);
    map.values[rng.below(map.values.size())] = 12345;
    const HeatMapFigure out = reduced_to(map);
    EXPECT_EQ(std::ranges::count(out.values, 12345), 1) << seed;
  }
}

TEST(ReduceHeatMap, BlamedRowsStandFirstAndWhole) {
  HeatMapFigure map = map_of(500, 10, 2);
  map.blamed = {"m400", "m7"};
  const HeatMapFigure out = reduced_to(map);
  EXPECT_EQ(out.rows[0], "m7");
  EXPECT_EQ(out.rows[1], "m400");
  EXPECT_EQ(out.blamed, map.blamed);
  for (size_t c = 0; c < 10; ++c) {
    const double before = map.values[4000 + c];
    EXPECT_TRUE(out.values[10 + c] == before || (std::isnan(out.values[10 + c]) && std::isnan(before)));
  }
}

TEST(ReduceHeatMap, EveryRowIsInOneBin) {
  HeatMapFigure map = map_of(1000, 1, 3);
  map.blamed = {"m123"};
  size_t rows = 0;
  for (const std::string& name : reduced_to(map).rows) {
    const size_t plus = name.find(" +");
    rows += 1 + (plus == std::string::npos ? 0 : std::stoul(name.substr(plus + 2)));
  }
  EXPECT_EQ(rows, 1000u);
}

SeriesFigure line_of(std::vector<double> y) {
  SeriesFigure f;
  f.lines.resize(1);
  f.lines[0].y = std::move(y);
  for (size_t i = 0; i < f.lines[0].y.size(); ++i)
    f.lines[0].x.push_back(double(i));
  return f;
}

std::vector<double> walk(uint64_t seed, size_t count) {
  base::Rng rng(seed, "walk");
  std::vector<double> y(count);
  double at = 0;
  for (double& v : y)
    v = at += double(rng.below(21)) - 10;
  return y;
}

TEST(ReduceSeries, AShortLineKeepsEveryPoint) {
  const SeriesFigure f = line_of(walk(1, 3000));
  EXPECT_EQ(reduced_to(f).lines[0].x, f.lines[0].x);
  EXPECT_EQ(reduced_to(f).lines[0].y, f.lines[0].y);
}

TEST(ReduceSeries, ALongLineKeepsItsExtremesAndItsOrder) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const SeriesFigure f = line_of(walk(seed, 3001 + 997 * seed));
    const SeriesFigure out = reduced_to(f);
    const auto& y = out.lines[0].y;
    EXPECT_LE(y.size(), 3000u);
    EXPECT_GT(y.size(), 1000u);
    EXPECT_TRUE(std::ranges::is_sorted(out.lines[0].x));
    EXPECT_EQ(*std::ranges::max_element(y), *std::ranges::max_element(f.lines[0].y));
    EXPECT_EQ(*std::ranges::min_element(y), *std::ranges::min_element(f.lines[0].y));
  }
}

TEST(ReduceSeries, EveryPointKeptIsOneOfTheLine) {
  const SeriesFigure f = line_of(walk(5, 10000));
  const SeriesFigure out = reduced_to(f);
  for (size_t i = 0; i < out.lines[0].x.size(); ++i)
    EXPECT_EQ(out.lines[0].y[i], f.lines[0].y[size_t(out.lines[0].x[i])]);
}

TEST(ReduceSeries, AGapAtTheBeginningOfAStepHidesNothing) {
  for (size_t spike = 0; spike < 40; ++spike) {
    std::vector<double> y(10000, 1.0);
    for (size_t i = 0; i < y.size(); i += 10)
      y[i] = kNan;
    const size_t at = 5000 + spike;
    if (std::isnan(y[at]))
      continue;
    y[at] = spike % 2 ? 99 : -99;
    const std::vector<double> kept = reduced_to(line_of(y)).lines[0].y;
    EXPECT_EQ(std::ranges::count(kept, y[at]), 1) << spike;
  }
}

TEST(ReduceSeries, ABandKeepsTheExtremesOfBothEdges) {
  SeriesFigure f;
  f.bands.resize(1);
  auto& band = f.bands[0];
  band.high = walk(7, 9000);
  band.low = walk(8, 9000);
  for (size_t i = 0; i < 9000; ++i) {
    band.x.push_back(double(i));
    band.low[i] -= 10000;
  }
  const SeriesFigure out = reduced_to(f);
  EXPECT_EQ(out.bands[0].low.size(), out.bands[0].x.size());
  EXPECT_EQ(out.bands[0].high.size(), out.bands[0].x.size());
  EXPECT_LE(out.bands[0].x.size(), 3000u);
  EXPECT_EQ(*std::ranges::max_element(out.bands[0].high), *std::ranges::max_element(band.high));
  EXPECT_EQ(*std::ranges::min_element(out.bands[0].low), *std::ranges::min_element(band.low));
}

TEST(ReduceSeries, FiveDigitsStay) {
  const SeriesFigure out = reduced_to(line_of({1.23456789, 123456789, 0, kNan}));
  EXPECT_EQ(out.lines[0].y[0], 1.2346);
  EXPECT_EQ(out.lines[0].y[1], 123460000);
  EXPECT_EQ(out.lines[0].y[2], 0);
  EXPECT_TRUE(std::isnan(out.lines[0].y[3]));
}

TEST(ReduceTimeline, KeepsEveryBlamedSpan) {
  TimelineFigure f{"t", {}};
  for (int i = 0; i < 20000; ++i)
    f.spans.push_back({"core", double(i), double(i + 1), std::to_string(i), i % 1000 == 333});
  const TimelineFigure out = reduced_to(f);
  EXPECT_EQ(out.x_name, "t");
  EXPECT_LE(out.spans.size(), 6000u + 20);
  EXPECT_GT(out.spans.size(), 4000u);
  EXPECT_EQ(std::ranges::count_if(out.spans, &TimelineFigure::Span::blamed), 20);
  f.spans.resize(6000);
  EXPECT_EQ(reduced_to(f).spans.size(), 6000u);
}

TEST(Reduce, OtherKindsPassUnchanged) {
  TableFigure table{{"a"}, std::vector<std::vector<std::string>>(9000, {"x"})};
  EXPECT_EQ(reduced_to(table).rows.size(), 9000u);
  ScatterFigure scatter;
  scatter.groups.resize(1);
  scatter.groups[0].points.resize(9000);
  EXPECT_EQ(reduced_to(scatter).groups[0].points.size(), 9000u);
}

}  // namespace
}  // namespace lento::report
