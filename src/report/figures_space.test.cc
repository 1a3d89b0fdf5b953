#include <gmock/gmock.h>

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
using testing::Each;
using testing::HasSubstr;

std::pair<double, double> size_of(const std::string& picture) {
  const std::string box = elements_of(picture).at(0).attributes.at("viewBox");
  char* end = nullptr;
  std::strtod(box.c_str(), &end);
  std::strtod(end, &end);
  const double width = std::strtod(end, &end);
  return {width, std::strtod(end, nullptr)};
}

MeshFigure mesh(int width, int height) {
  MeshFigure f{width, height, "cycles"};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      f.cores.push_back({x, y, double(x + y), "core" + std::to_string(y * width + x)});
      if (x + 1 < width) {
        f.links.push_back({x, y, x + 1, y, 1});
        f.links.push_back({x + 1, y, x, y, 2});
      }
    }
  }
  return f;
}

TEST(DrawMesh, CoresStandInRowsAndColumnsInsideThePicture) {
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{4, 4}, std::pair{7, 3}, std::pair{64, 64}}) {
    const std::string picture = draw(mesh(width, height), "t");
    const auto [right, bottom] = size_of(picture);
    const auto cores = with_class(picture, "core");
    ASSERT_EQ(cores.size(), size_t(width * height));
    for (const auto& core : cores) {
      const double side = core.number("width");
      EXPECT_EQ(core.number("height"), side);
      EXPECT_LE(core.number("x") + side, right);
      EXPECT_LE(core.number("y") + side, bottom);
    }
    for (size_t i = 1; i < cores.size(); ++i) {
      const bool same_row = cores[i].number("data-y") == cores[i - 1].number("data-y");
      if (same_row) {
        EXPECT_GT(cores[i].number("x"), cores[i - 1].number("x") + cores[i - 1].number("width"));
      } else {
        EXPECT_GT(cores[i].number("y"), cores[i - 1].number("y") + cores[i - 1].number("height"));
      }
    }
  }
}

// A part that nobody saw is neither healthy nor slow, and a chip of healthy parts is pale all over.
TEST(DrawMesh, UnseenIsGreyAndHealthyIsPale) {
  MeshFigure f{3, 1, "times"};
  f.cores = {{0, 0, 1, "core0"}, {1, 0, 1.03, "core1"}, {2, 0, std::nan(""), "core2"}};
  f.links = {{0, 0, 1, 0, 1}, {1, 0, 2, 0, std::nan("")}};
  const std::string picture = draw(f, "t");
  const auto cores = with_class(picture, "core");
  EXPECT_TRUE(cores[0].is("q0"));
  EXPECT_TRUE(cores[1].is("q0"));
  EXPECT_TRUE(cores[2].is("unseen"));
  const auto links = with_class(picture, "link");
  EXPECT_TRUE(links[0].is("q0"));
  EXPECT_TRUE(links[1].is("unseen"));
  EXPECT_THAT(picture, HasSubstr("core2: not seen"));
  // A link that stands once lies in the middle.
  EXPECT_NEAR(points_of(links[0])[0].second, cores[0].number("y") + cores[0].number("height") / 2, 1e-6);
}

// A dashed line without a legend reads as a fault.
TEST(DrawMesh, DashesAreExplainedWhereThereAreSome) {
  MeshFigure f = mesh(2, 1);
  EXPECT_TRUE(with_class(draw(f, "t"), "route-key").empty());
  EXPECT_TRUE(with_class(draw(f, "t"), "unseen-key").empty());
  f.routes = {{{{0, 0}, {1, 0}}, "core0 to core1"}};
  f.links[0].value = std::nan("");
  const std::string picture = draw(f, "t");
  EXPECT_EQ(with_class(picture, "route-key").size(), 1u);
  EXPECT_EQ(with_class(picture, "unseen-key").size(), 1u);
  EXPECT_THAT(picture, HasSubstr("link that nothing crossed"));
  for (const auto& sample : with_class(picture, "route-key"))
    EXPECT_LT(points_of(sample)[0].second, size_of(picture).second);
}

TEST(DrawMesh, TheTwoDirectionsOfALinkLieSideBySideBetweenTheirCores) {
  MeshFigure f{2, 2, ""};
  f.links = {{0, 0, 1, 0, 1}, {1, 0, 0, 0, 1}, {0, 0, 0, 1, 1}, {0, 1, 0, 0, 1}};
  const auto links = with_class(draw(f, "t"), "link");
  ASSERT_EQ(links.size(), 4u);
  const auto there = points_of(links[0]);
  const auto back = points_of(links[1]);
  EXPECT_LT(there[0].first, there[1].first);
  EXPECT_GT(back[0].first, back[1].first);
  EXPECT_GT(there[0].second, back[0].second);  // each on the right of its own travel
  const auto down = points_of(links[2]);
  const auto up = points_of(links[3]);
  EXPECT_LT(down[0].second, down[1].second);
  EXPECT_GT(up[0].second, up[1].second);
  EXPECT_LT(down[0].first, up[0].first);
}

TEST(DrawMesh, BlameOutlinesTheCoreAndBothDirectionsOfTheLink) {
  MeshFigure f = mesh(3, 2);
  f.blamed = {"core4", "link2-1"};
  const std::string picture = draw(f, "t");
  size_t cores = 0;
  size_t links = 0;
  for (const auto& e : with_class(picture, "blame")) {
    cores += e.is("core");
    links += e.is("link");
    if (e.is("core")) {
      EXPECT_EQ(e.attributes.at("data-x"), "1");
      EXPECT_EQ(e.attributes.at("data-y"), "1");
    } else {
      EXPECT_EQ(e.attributes.at("data-from").back(), '0');
    }
  }
  EXPECT_EQ(cores, 1u);
  EXPECT_EQ(links, 2u);
}

TEST(DrawMesh, ALinkWithoutACoreIsNotBlamed) {
  MeshFigure f = mesh(2, 1);
  f.cores.clear();
  f.links.push_back({5, 5, 6, 5, 1});
  f.blamed = {"link0-1"};
  EXPECT_TRUE(with_class(draw(f, "t"), "blame").empty());
}

TEST(DrawMesh, ColoursRunFromTheLowestToTheHighestValue) {
  const auto cores = with_class(draw(mesh(5, 1), "t"), "core");
  EXPECT_TRUE(cores.front().is("q0"));
  EXPECT_TRUE(cores.back().is("q8"));
}

TEST(DrawMesh, ARouteRunsThroughTheCentresOfItsHops) {
  MeshFigure f = mesh(3, 3);
  f.routes = {{{{0, 0}, {2, 0}, {2, 2}}, "<r>"}};
  const std::string picture = draw(f, "t");
  const auto route = points_of(with_class(picture, "route").at(0));
  const auto cores = with_class(picture, "core");
  ASSERT_EQ(route.size(), 3u);
  const size_t hops[] = {0, 2, 8};
  for (size_t i = 0; i < 3; ++i) {
    const auto& core = cores[hops[i]];
    EXPECT_NEAR(route[i].first, core.number("x") + core.number("width") / 2, 0.11);
    EXPECT_NEAR(route[i].second, core.number("y") + core.number("height") / 2, 0.11);
  }
  EXPECT_THAT(picture, HasSubstr("<title>&lt;r&gt;</title>"));
}

TEST(DrawMesh, AValueThatIsUnknownDraws) {
  MeshFigure f = mesh(2, 1);
  f.cores[0].value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(with_class(draw(f, "t"), "core").at(0).is("unseen"));
}

HeatMapFigure heat(size_t rows, size_t columns) {
  HeatMapFigure f{{}, {}, "t", "W", {}, {}};
  for (size_t r = 0; r < rows; ++r)
    f.rows.push_back("m" + std::to_string(r));
  for (size_t c = 0; c < columns; ++c)
    f.columns.push_back(double(c));
  base::Rng rng(rows * 1000 + columns, "heat");
  for (size_t i = 0; i < rows * columns; ++i)
    f.values.push_back(rng.uniform());
  return f;
}

// The upper left corners of all cells, by colour.
std::vector<std::vector<std::pair<double, double>>> cells_of(const std::string& picture) {
  std::vector<std::vector<std::pair<double, double>>> out(9);
  for (const auto& e : elements_of(picture)) {
    for (size_t q = 0; q < 9; ++q) {
      if (e.name == "path" && e.is("q" + std::to_string(q)))
        out[q] = points_of(e);
    }
  }
  return out;
}

TEST(DrawHeatMap, OneCellAValueInsideThePlot) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, std::pair{5, 30}, std::pair{96, 180}}) {
    const std::string picture = draw(heat(size_t(rows), size_t(columns)), "t");
    const auto plot = with_class(picture, "plot").at(0);
    size_t cells = 0;
    for (const auto& colour : cells_of(picture)) {
      cells += colour.size();
      for (const auto& [x, y] : colour) {
        EXPECT_GE(x, plot.number("x") - 0.06);
        EXPECT_LT(x, plot.number("x") + plot.number("width"));
        EXPECT_GE(y, plot.number("y") - 0.06);
        EXPECT_LT(y, plot.number("y") + plot.number("height"));
      }
    }
    EXPECT_EQ(cells, size_t(rows * columns));
  }
}

TEST(DrawHeatMap, AWideMapShowsTheMaximumOfEachCell) {
  HeatMapFigure f = heat(1, 1800);
  std::ranges::fill(f.values, 0.0);
  f.values[999] = 1;  // in cell 99 of 180
  const std::string picture = draw(f, "t");
  const auto cells = cells_of(picture);
  EXPECT_EQ(cells[0].size(), 179u);
  ASSERT_EQ(cells[8].size(), 1u);
  const auto plot = with_class(picture, "plot").at(0);
  EXPECT_NEAR(cells[8][0].first, plot.number("x") + plot.number("width") * 99 / 180, 0.1);
}

TEST(DrawHeatMap, AGapHasNoCell) {
  HeatMapFigure f = heat(2, 2);
  f.values[3] = std::numeric_limits<double>::quiet_NaN();
  size_t cells = 0;
  for (const auto& colour : cells_of(draw(f, "t")))
    cells += colour.size();
  EXPECT_EQ(cells, 3u);
}

TEST(DrawHeatMap, BlamedRowsHaveAnOutlineAndAlwaysTheirName) {
  HeatMapFigure f = heat(90, 2);
  f.blamed = {"m41"};
  const std::string picture = draw(f, "t");
  const auto outline = with_class(picture, "outline");
  ASSERT_EQ(outline.size(), 1u);
  const auto plot = with_class(picture, "plot").at(0);
  EXPECT_EQ(outline[0].number("width"), plot.number("width"));
  EXPECT_NEAR(outline[0].number("y"), 8 + outline[0].number("height") * 41, 0.06);
  EXPECT_THAT(picture, HasSubstr(">m41</text>"));
}

TEST(DrawHeatMap, NumberedColumnsAreNamedUnderTheirCells) {
  HeatMapFigure f = heat(4, 4);
  const std::string picture = draw(f, "t");
  for (const char* name : {">0</text>", ">1</text>", ">2</text>", ">3</text>"})
    EXPECT_THAT(picture, HasSubstr(name));
  EXPECT_THAT(picture, Not(HasSubstr(">0.5</text>")));
  f.columns = {0, 10, 20, 30};  // a time
  EXPECT_THAT(draw(f, "t"), HasSubstr(">30</text>"));
}

TEST(DrawHeatMap, NamesOfRowsTravelAsData) {
  HeatMapFigure f = heat(1, 1);
  f.rows = {"<\"m\">"};
  const auto plot = with_class(draw(f, "t"), "plot").at(0);
  EXPECT_EQ(plot.attributes.at("data-rows"), "[&quot;&lt;\\&quot;m\\&quot;&gt;&quot;]");
}

TEST(DrawGraph, NodesOnACircleAndEdgesBetweenThem) {
  GraphFigure f{"w", {}, {}};
  for (int i = 0; i < 12; ++i)
    f.nodes.push_back({"id" + std::to_string(i), "n", double(i), i == 3});
  f.edges = {{"id0", "id6", 1}, {"id0", "nobody", 1}, {"nobody", "id1", 1}};
  const std::string picture = draw(f, "t");
  std::vector<std::pair<double, double>> at;
  for (const auto& e : elements_of(picture)) {
    if (e.name != "circle")
      continue;
    at.emplace_back(e.number("cx"), e.number("cy"));
    EXPECT_NEAR(std::hypot(at.back().first - 280, at.back().second - 280), 220, 0.2);
    EXPECT_EQ(e.is("blame"), at.size() == 4);
  }
  ASSERT_EQ(at.size(), 12u);
  for (size_t i = 1; i < at.size(); ++i)
    EXPECT_NEAR(
        std::hypot(at[i].first - at[i - 1].first, at[i].second - at[i - 1].second),
        440 * std::sin(M_PI / 12),
        0.2);
  const auto edges = with_class(picture, "edge");
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(points_of(edges[0])[0], at[0]);
  EXPECT_EQ(points_of(edges[0])[1], at[6]);
}

}  // namespace
}  // namespace lento::report
