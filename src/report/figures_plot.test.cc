#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rng.h"
#include "report/figures.h"
#include "report/test_picture.h"

namespace lento::report {
namespace {

using namespace finding;
using test::elements_of;
using test::points_of;
using test::with_class;
using testing::HasSubstr;
using testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Box {
  double left;
  double top;
  double right;
  double bottom;
};

Box plot_of(const std::string& picture) {
  const auto plot = with_class(picture, "plot").at(0);
  const double x = plot.number("x");
  const double y = plot.number("y");
  return {x, y, x + plot.number("width"), y + plot.number("height")};
}

void expect_inside(double x, double y, const Box& box) {
  EXPECT_GE(x, box.left - 0.06);
  EXPECT_LE(x, box.right + 0.06);
  EXPECT_GE(y, box.top - 0.06);
  EXPECT_LE(y, box.bottom + 0.06);
}

double drawn_value(base::Rng& rng) {
  switch (rng.below(8)) {
    case 0:
      return kNan;
    case 1:
      return 0;
    case 2:
      return -rng.uniform(0, 1e-9);
    case 3:
      return std::pow(10, rng.uniform(-30, 30));
    default:
      return rng.normal(0, 100);
  }
}

std::vector<double> drawn_values(base::Rng& rng, size_t count) {
  std::vector<double> out(count);
  for (double& v : out)
    v = drawn_value(rng);
  return out;
}

SeriesFigure drawn_series(uint64_t seed) {
  base::Rng rng(seed, "series");
  const size_t n = 1 + rng.below(20);
  SeriesFigure f{"x", "y", rng.below(2) == 0, rng.below(2) == 0, {}, {}, {}};
  for (uint64_t i = 0; i <= rng.below(3); ++i)
    f.lines.push_back({"l", drawn_values(rng, n), drawn_values(rng, n), rng.below(3) == 0, false});
  f.bands.push_back({"b", drawn_values(rng, n), drawn_values(rng, n), drawn_values(rng, n)});
  return f;
}

TEST(DrawSeries, EveryPointLiesInsideThePlot) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const std::string picture = draw(drawn_series(seed), "t");
    const Box box = plot_of(picture);
    for (const char* kind : {"line", "band"}) {
      for (const auto& path : with_class(picture, kind)) {
        for (const auto& [x, y] :
             path.attributes.contains("d") ? points_of(path) : std::vector<std::pair<double, double>>{})
          expect_inside(x, y, box);
      }
    }
  }
}

TEST(DrawSeries, APointStandsWhereItsValueIs) {
  const SeriesFigure f{"x", "y", false, false, {}, {{"l", {0, 5, 10}, {-1, 0, 1}}}, {}};
  const std::string picture = draw(f, "t");
  const Box box = plot_of(picture);
  const auto points = points_of(with_class(picture, "line").at(0));
  ASSERT_EQ(points.size(), 3u);
  EXPECT_NEAR(points[0].first, box.left, 0.05);
  EXPECT_NEAR(points[0].second, box.bottom, 0.05);
  EXPECT_NEAR(points[1].first, (box.left + box.right) / 2, 0.05);
  EXPECT_NEAR(points[1].second, (box.top + box.bottom) / 2, 0.05);
  EXPECT_NEAR(points[2].first, box.right, 0.05);
  EXPECT_NEAR(points[2].second, box.top, 0.05);
}

TEST(DrawSeries, AGapLiftsThePen) {
  const SeriesFigure f{"x", "y", false, false, {}, {{"l", {0, 1, 2, 3, 4}, {1, 2, kNan, 2, 1}}}, {}};
  const std::string picture = draw(f, "t");
  const std::string d = with_class(picture, "line").at(0).attributes.at("d");
  EXPECT_EQ(std::ranges::count(d, 'M'), 2);
  EXPECT_EQ(std::ranges::count(d, 'L'), 2);
}

TEST(DrawSeries, AGapInABandHasNoCorner) {
  const SeriesFigure f{"x", "y", false, false, {{"b", {0, 1, 2}, {0, kNan, 0}, {1, 1, 1}}}, {}, {}};
  const std::string picture = draw(f, "t");
  EXPECT_EQ(points_of(with_class(picture, "band").at(0)).size(), 4u);
}

TEST(DrawSeries, TheBandIncludesBothEdges) {
  const SeriesFigure
      f{"x", "y", false, false, {{"b", {0, 1}, {-3, -3}, {5, 5}}}, {{"l", {0, 1}, {0, 1}}}, {}};
  const std::string picture = draw(f, "t");
  const auto plot = with_class(picture, "plot").at(0);
  EXPECT_EQ(plot.number("data-ylow"), -3);
  EXPECT_EQ(plot.number("data-yhigh"), 5);
}

TEST(DrawSeries, BlamedLinesAreDrawnLast) {
  SeriesFigure f{"x", "y", false, false, {}, {}, {0.5}};
  for (const char* name : {"first", "second", "third"})
    f.lines.push_back({name, {0, 1}, {0, 1}, std::string(name) == "first", std::string(name) == "third"});
  const std::string picture = draw(f, "t");
  const auto lines = with_class(picture, "line");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].attributes.at("data-name"), "second");
  EXPECT_TRUE(lines[0].is("s1"));
  EXPECT_TRUE(lines[1].is("dashed"));
  EXPECT_EQ(lines[2].attributes.at("data-name"), "first");
  EXPECT_TRUE(lines[2].is("early"));
  EXPECT_EQ(lines[3].attributes.at("data-name"), "first");
  EXPECT_TRUE(lines[3].is("blamed"));
  EXPECT_EQ(with_class(picture, "mark").size(), 1u);
}

// Before its fault a part looked like any other, so it is not drawn as ill there.
TEST(DrawSeries, ABlamedLineIsIllFromTheFirstMarkOn) {
  SeriesFigure f{"x", "y", false, false, {}, {}, {2, 3}};
  f.lines = {{"gpu6", {0, 1, 2, 3}, {5, 5, 1, 1}, true, false}};
  const std::string picture = draw(f, "t");
  EXPECT_EQ(points_of(with_class(picture, "early").at(0)).size(), 2u);
  EXPECT_EQ(points_of(with_class(picture, "blamed").at(0)).size(), 3u);
  for (const double mark : {0.0, 9.0}) {  // ill from the beginning, and a mark beyond the line
    f.marks = {mark};
    EXPECT_TRUE(with_class(draw(f, "t"), "early").empty()) << mark;
  }
}

TEST(DrawSeries, ManyNamesWrapAndThePictureGrows) {
  SeriesFigure few{"x", "y", false, false, {}, {}, {}};
  SeriesFigure many = few;
  few.lines.push_back({"a", {0}, {0}});
  for (int i = 0; i < 60; ++i)
    many.lines.push_back({"a line with a long name " + std::to_string(i), {0}, {0}});
  const auto height = [](const SeriesFigure& f) {
    const std::string box = elements_of(draw(f, "t")).at(0).attributes.at("viewBox");
    return std::strtod(box.substr(box.rfind(' ')).c_str(), nullptr);
  };
  EXPECT_GT(height(many), height(few) + 100);
  for (const auto& key : with_class(draw(many, "t"), "key")) {
    EXPECT_LE(key.number("y"), height(many));
    EXPECT_LE(key.number("x"), 920);
  }
}

TEST(DrawTimeline, SpansStandOnTheirTracksInsideThePlot) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    base::Rng rng(seed, "timeline");
    TimelineFigure f{"t", {}};
    for (uint64_t i = 1 + rng.below(60); i > 0; --i) {
      const double begin = rng.uniform(0, 1000);
      f.spans.push_back({"track" + std::to_string(rng.below(40)), begin, begin + rng.uniform(0, 50), "s"});
    }
    const std::string picture = draw(f, "t");
    const Box box = plot_of(picture);
    const auto spans = with_class(picture, "span");
    ASSERT_EQ(spans.size(), f.spans.size());
    for (const auto& span : spans) {
      expect_inside(span.number("x"), span.number("y"), box);
      // The thinnest span is a pixel wide, wherever it ends.
      EXPECT_LE(span.number("x") + span.number("width"), box.right + 1.1);
      EXPECT_GE(span.number("width"), 1);
      EXPECT_LE(span.number("y") + span.number("height"), box.bottom + 4);
    }
  }
}

TEST(DrawTimeline, LengthsAreInProportion) {
  const TimelineFigure f{"t", {{"a", 0, 10, ""}, {"a", 10, 40, "", true}, {"b", 40, 100, ""}}};
  const std::string picture = draw(f, "t");
  const auto spans = with_class(picture, "span");
  EXPECT_NEAR(spans[1].number("width"), 3 * spans[0].number("width"), 0.3);
  EXPECT_NEAR(spans[2].number("width"), 6 * spans[0].number("width"), 0.6);
  EXPECT_EQ(spans[0].number("y"), spans[1].number("y"));
  EXPECT_GT(spans[2].number("y"), spans[1].number("y"));
  EXPECT_TRUE(spans[1].is("blamed"));
  EXPECT_FALSE(spans[0].is("blamed"));
}

TEST(DrawTimeline, MoreThanEightyTracksAreCounted) {
  TimelineFigure f{"t", {}};
  for (int i = 0; i < 83; ++i)
    f.spans.push_back({"track" + std::to_string(i), 0, 1, ""});
  const std::string picture = draw(f, "t");
  EXPECT_EQ(with_class(picture, "span").size(), 80u);
  EXPECT_THAT(picture, HasSubstr("3 more in the JSON"));
  f.spans.resize(80);
  EXPECT_THAT(draw(f, "t"), Not(HasSubstr("more in the JSON")));
}

// The plot of bars: 12 to 274 down, 70 to 904 across.
constexpr Box kBars{250, 8, 830, 8 + 30 * 22};

BarsFigure drawn_bars(uint64_t seed) {
  base::Rng rng(seed, "bars");
  BarsFigure f;
  for (uint64_t i = 1 + rng.below(30); i > 0; --i)
    f.categories.push_back("c" + std::to_string(i));
  for (uint64_t i = 1 + rng.below(4); i > 0; --i) {
    f.series.push_back("s" + std::to_string(i));
    f.values.emplace_back();
    for (size_t c = 0; c < f.categories.size(); ++c)
      f.values.back().push_back(rng.below(9) == 0 ? kNan : rng.normal(0, 10));
  }
  return f;
}

TEST(DrawBars, EveryBarLiesInsideThePlot) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    for (const auto& bar : with_class(draw(drawn_bars(seed), "t"), "span")) {
      expect_inside(bar.number("x"), bar.number("y"), kBars);
      expect_inside(bar.number("x") + bar.number("width"), bar.number("y") + bar.number("height"), kBars);
    }
  }
}

TEST(DrawBars, StackedValuesOfBothSigns) {
  // Up by five, down by three: the first bar reaches beyond the sum.
  const BarsFigure f{{"c"}, {"up", "down"}, {{5}, {-3}}, "y"};
  const auto bars = with_class(draw(f, "t"), "span");
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_NEAR(bars[0].number("x"), kBars.left, 0.1);
  EXPECT_NEAR(bars[0].number("width") / bars[1].number("width"), 5.0 / 3, 0.01);
  EXPECT_NEAR(bars[1].number("x") + bars[1].number("width"), kBars.right, 0.1);
}

TEST(DrawBars, LengthsAreInProportionFromZero) {
  const BarsFigure f{{"a", "b"}, {"s"}, {{10, 25}}, "y"};
  const auto bars = with_class(draw(f, "t"), "span");
  EXPECT_NEAR(bars[1].number("width"), 2.5 * bars[0].number("width"), 0.1);
  EXPECT_NEAR(bars[0].number("x"), kBars.left, 0.1);
  EXPECT_NEAR(bars[1].number("width"), kBars.right - kBars.left, 0.1);
}

TEST(DrawBars, NamesAreWholeAndSumsHaveTheirUnit) {
  const BarsFigure f{{"matrix products, forward and backward"}, {"s"}, {{0.0006}}, "seconds"};
  const std::string picture = draw(f, "t");
  EXPECT_THAT(picture, HasSubstr(">matrix products, forward and backwar…</text>"));
  EXPECT_THAT(picture, HasSubstr(">600 us</text>"));
  EXPECT_THAT(
      draw(BarsFigure{{"a", "products, forward"}, {"s"}, {{1, 2}}, "y"}, "t"),
      HasSubstr(">products, forward</text>"));
}

TEST(DrawBars, RowsBeyondSixtyAreCounted) {
  BarsFigure f{std::vector<std::string>(75, "c"), {"s"}, {std::vector<double>(75, 1)}, "y"};
  const std::string picture = draw(f, "t");
  EXPECT_EQ(with_class(picture, "span").size(), 60u);
  EXPECT_THAT(picture, HasSubstr(">15 more</text>"));
}

TEST(DrawScatter, EveryPointLiesInsideThePlot) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    base::Rng rng(seed, "scatter");
    ScatterFigure f{"x", "y", rng.below(2) == 0, rng.below(2) == 0, {}};
    for (int g = 0; g < 3; ++g) {
      f.groups.push_back({"g", {}, rng.below(2) == 0});
      for (uint64_t i = rng.below(10); i > 0; --i)
        f.groups.back().points.push_back(
            {drawn_value(rng), drawn_value(rng), rng.below(2) ? "p" : "", rng.below(5) == 0});
    }
    const std::string picture = draw(f, "t");
    for (const char* kind : {"dot", "line"}) {
      for (const auto& path : with_class(picture, kind)) {
        for (const auto& [x, y] : points_of(path))
          expect_inside(x, y, plot_of(picture));
      }
    }
  }
}

TEST(DrawScatter, APointWithoutAValueIsNotDrawn) {
  const ScatterFigure f{
      "x",
      "y",
      false,
      false,
      {{"g", {{1, 1, "a"}, {kNan, 2, "b"}, {2, kNan, "c"}, {3, 3, "d"}}}}};
  EXPECT_EQ(with_class(draw(f, "t"), "dot").size(), 2u);
}

TEST(DrawScatter, AJoinedGroupShowsOnlyNamedOrBlamedDots) {
  const ScatterFigure f{
      "x",
      "y",
      false,
      false,
      {{"front", {{0, 0, ""}, {1, 1, "named"}, {2, 2, "", true}}, true}}};
  const std::string picture = draw(f, "t");
  EXPECT_EQ(with_class(picture, "dot").size(), 2u);
  EXPECT_EQ(points_of(with_class(picture, "line").at(0)).size(), 3u);
  EXPECT_EQ(with_class(picture, "blamed").size(), 1u);
}

TEST(DrawTable, IsNoPicture) {
  EXPECT_EQ(draw(TableFigure{{"a"}, {{"1"}}}, "t"), "");
}

}  // namespace
}  // namespace lento::report
