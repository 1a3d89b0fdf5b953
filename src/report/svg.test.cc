#include "report/svg.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "base/rng.h"
#include "report/test_picture.h"

namespace lento::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ExtentOf, FiniteValuesOnly) {
  ExtentOf e;
  EXPECT_EQ(e.get().low, 0);
  EXPECT_EQ(e.get().high, 1);
  e.add(kNan);
  e.add(kInfinity);
  EXPECT_EQ(e.get().high, 1);
  e.add(std::vector{3.0, -2.0, kNan});
  EXPECT_EQ(e.get().low, -2);
  EXPECT_EQ(e.get().high, 3);
}

TEST(ExtentOf, IsWidenedWhenAllAreEqual) {
  for (const double value : {0.0, 5.0, -5.0, 1e12, 1e-12}) {
    ExtentOf e;
    e.add(value);
    EXPECT_LT(e.get().low, value) << value;
    EXPECT_GT(e.get().high, value) << value;
    EXPECT_DOUBLE_EQ(value - e.get().low, e.get().high - value) << value;
  }
}

TEST(ExtentOf, SmallValuesThatDifferKeepTheirRange) {
  ExtentOf energy;
  energy.add(1e-12);
  energy.add(3e-12);
  EXPECT_EQ(energy.get().low, 1e-12);
  EXPECT_EQ(energy.get().high, 3e-12);
}

TEST(Scale, IsLinearBetweenItsEnds) {
  const Scale s({10, 20}, 100, 300);
  EXPECT_DOUBLE_EQ(s(10), 100);
  EXPECT_DOUBLE_EQ(s(20), 300);
  EXPECT_DOUBLE_EQ(s(12.5), 150);
  EXPECT_DOUBLE_EQ(s(25), 400);
  const Scale down({10, 20}, 300, 100);
  EXPECT_DOUBLE_EQ(down(12.5), 250);
}

TEST(Scale, LogarithmsOfEqualRatiosAreEqualDistances) {
  const Scale s({1, 1e4}, 0, 400, true);
  EXPECT_TRUE(s.log());
  for (const double v : {1.0, 3.0, 50.0})
    EXPECT_NEAR(s(v * 10) - s(v), 100, 1e-9);
  EXPECT_DOUBLE_EQ(s(0), 0);
  EXPECT_DOUBLE_EQ(s(-3), 0);
}

TEST(Scale, ALogarithmShowsNineDecadesAtMost) {
  const Scale s({0, 1000}, 0, 900, true);
  EXPECT_DOUBLE_EQ(s.data().low, 1e-6);
  EXPECT_NEAR(s(1e-6), 0, 1e-9);
  EXPECT_NEAR(s(1), 600, 1e-9);
  const Scale nothing({-5, -1}, 0, 900, true);
  EXPECT_LT(nothing.data().low, nothing.data().high);
  EXPECT_EQ(nothing(-3), 0);
}

TEST(Scale, WhatIsNoNumberStandsAtTheLowEnd) {
  const Scale s({0, 1}, 7, 9);
  EXPECT_EQ(s(kNan), 7);
  EXPECT_EQ(s(kInfinity), 7);
}

TEST(Ticks, AreRoundInsideTheRangeAndEvenlySpread) {
  base::Rng rng(1, "ticks");
  for (int i = 0; i < 300; ++i) {
    const double width = std::pow(10, rng.uniform(-6, 6));
    const double low = rng.uniform(-100, 100) * width;
    const double high = low + width;
    const std::vector<double> ticks = Scale({low, high}, 0, 100).ticks(5);
    ASSERT_GE(ticks.size(), 2u) << low << " " << high;
    ASSERT_LE(ticks.size(), 7u) << low << " " << high;
    const double step = ticks[1] - ticks[0];
    const double digit = step / std::pow(10, std::floor(std::log10(step * 1.000001)));
    EXPECT_TRUE(std::fabs(digit - 1) < 1e-3 || std::fabs(digit - 2) < 1e-3 || std::fabs(digit - 5) < 1e-3)
        << step;
    for (size_t t = 0; t < ticks.size(); ++t) {
      EXPECT_GE(ticks[t], low - step * 1e-6);
      EXPECT_LE(ticks[t], high + step * 1e-5);
      EXPECT_NEAR(std::remainder(ticks[t], step), 0, step * 1e-3);
    }
  }
}

TEST(Ticks, OfALogarithmArePowersOfTen) {
  EXPECT_THAT(Scale({1, 1000}, 0, 1, true).ticks(5), ElementsAre(1, 10, 100, 1000));
  // Less than a decade has ticks all the same.
  EXPECT_GE(Scale({2, 8}, 0, 1, true).ticks(5).size(), 2u);
}

TEST(Ticks, ZeroIsZero) {
  const std::vector<double> ticks = Scale({-1, 1}, 0, 1).ticks(5);
  EXPECT_THAT(ticks, testing::Contains(0.0));
}

TEST(ColourClass, NineEqualSteps) {
  const Extent extent{0, 9};
  for (int q = 0; q < 9; ++q)
    EXPECT_EQ(colour_class(q + 0.5, extent), q);
  EXPECT_EQ(colour_class(9, extent), 8);
  EXPECT_EQ(colour_class(-1, extent), 0);
  EXPECT_EQ(colour_class(100, extent), 8);
  EXPECT_EQ(colour_class(kNan, extent), 0);
  EXPECT_EQ(colour_class(kInfinity, extent), 8);
}

TEST(FirstCharacters, CutsBetweenCodePoints) {
  EXPECT_EQ(first_characters("abc", 2), "ab");
  EXPECT_EQ(first_characters("abc", 3), "abc");
  EXPECT_EQ(first_characters("abc", 9), "abc");
  EXPECT_EQ(first_characters("日本語", 2), "日本");
  EXPECT_EQ(first_characters("é", 0), "");
}

TEST(CutText, TheWholeTextIsItsTitleWhenItWasCut) {
  EXPECT_EQ(cut_text_at(1, 2, "short", 5, "start"), text_at(1, 2, "short"));
  const std::string cut = cut_text_at(1, 2, "longer <text>", 6, "end");
  EXPECT_THAT(cut, HasSubstr("<title>longer &lt;text&gt;</title>"));
  EXPECT_THAT(cut, HasSubstr(">longer…</text>"));
  EXPECT_THAT(cut, HasSubstr("text-anchor=\"end\""));
}

TEST(OpenPlot, SaysWhatItsAxesHold) {
  const Scale x({0.1, 10}, 0, 1, true);
  const Scale y({-1, 1}, 0, 1);
  const auto plot = test::elements_of(open_plot({70, 12, 800, 200, "time \"s\"", &y}, x) + "</svg>").at(0);
  EXPECT_EQ(plot.attributes.at("viewBox"), "70 12 800 200");
  EXPECT_EQ(plot.attributes.at("data-name"), "time &quot;s&quot;");
  EXPECT_EQ(plot.number("data-low"), 0.1);
  EXPECT_EQ(plot.number("data-high"), 10);
  EXPECT_EQ(plot.attributes.at("data-log"), "1");
  EXPECT_EQ(plot.number("data-ylow"), -1);
  EXPECT_EQ(plot.number("data-yhigh"), 1);
  EXPECT_EQ(plot.attributes.at("data-ylog"), "0");
}

TEST(Axes, EveryTickStandsAtItsValue) {
  const Frame frame;
  const Scale x({0, 100}, frame.left, frame.width - frame.right);
  const Scale y({0, 5}, frame.height - frame.bottom, frame.top);
  const auto all = test::elements_of(axes(frame, x, y, "time", "<power>"));
  size_t seen = 0;
  for (const auto& e : all) {
    if (e.name != "text" || !e.attributes.contains("x"))
      continue;
    if (e.text == "40") {
      EXPECT_NEAR(e.number("x"), x(40), 0.05);
      ++seen;
    }
    if (e.text == "3") {
      EXPECT_NEAR(e.number("y"), y(3) + 4, 0.05);
      ++seen;
    }
  }
  EXPECT_EQ(seen, 2u);
  EXPECT_EQ(all.back().text, "&lt;power&gt;");
}

TEST(ValueLegend, HasNineColoursAndBothEnds) {
  const auto all = test::elements_of("<g>" + value_legend(0, 0, {2, 40000}, "cycles") + "</g>");
  for (int q = 0; q < 9; ++q)
    EXPECT_TRUE(all.at(size_t(q) + 1).is("q" + std::to_string(q)));
  EXPECT_EQ(all.at(10).text, "2");
  EXPECT_EQ(all.at(11).text, "40k");
  EXPECT_EQ(all.at(12).text, "cycles");
}

}  // namespace
}  // namespace lento::report
