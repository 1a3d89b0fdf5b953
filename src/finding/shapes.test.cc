#include <gmock/gmock.h>

#include "base/test_error.h"
#include "finding/finding.h"

namespace lento::finding {
namespace {

using base::test::error_of;
using testing::HasSubstr;

std::string complaint(FigureBody body) {
  Diagnosis d;
  d.figures = {{"fine", "", TableFigure{}}, {"t", "", std::move(body)}};
  return error_of([&] {
    check_shapes(d, {"d.json"});
  });
}

// Grows one list after the other of a fitting figure by one; each must be noticed.
template <class F, class... Lists>
void expect_each_to_count(const F& fitting, const char* what, Lists... lists) {
  EXPECT_EQ(complaint(fitting), "no error");
  const auto grown = [&](auto list) {
    F longer = fitting;
    list(longer).emplace_back();
    EXPECT_THAT(complaint(longer), HasSubstr(what));
    F shorter = fitting;
    list(shorter).pop_back();
    EXPECT_THAT(complaint(shorter), HasSubstr(what));
  };
  (grown(lists), ...);
}

TEST(CheckShapes, AHeatMapIsRowsTimesColumns) {
  expect_each_to_count(
      HeatMapFigure{{"a", "b"}, {0, 1, 2}, "", "", {1, 2, 3, 4, 5, 6}, {}},
      "values must be rows times columns",
      [](HeatMapFigure & f) -> auto& { return f.values; },
      [](HeatMapFigure & f) -> auto& { return f.rows; },
      [](HeatMapFigure & f) -> auto& { return f.columns; });
}

TEST(CheckShapes, ALineHasAsManyXAsY) {
  expect_each_to_count(
      SeriesFigure{"", "", false, false, {}, {{"fits", {0}, {0}}, {"l", {1, 2}, {3, 4}}}, {}},
      "x and y of a line",
      [](SeriesFigure & f) -> auto& { return f.lines[1].x; },
      [](SeriesFigure & f) -> auto& { return f.lines[1].y; });
}

TEST(CheckShapes, ABandHasBothEdges) {
  expect_each_to_count(
      SeriesFigure{"", "", false, false, {{"b", {1, 2}, {3, 4}, {5, 6}}}, {}, {}},
      "x, low and high of a band",
      [](SeriesFigure & f) -> auto& { return f.bands[0].x; },
      [](SeriesFigure & f) -> auto& { return f.bands[0].low; },
      [](SeriesFigure & f) -> auto& { return f.bands[0].high; });
}

TEST(CheckShapes, BarsHaveAValueForEachSeriesAndCategory) {
  const BarsFigure bars{{"a", "b"}, {"s", "t"}, {{1, 2}, {3, 4}}, ""};
  expect_each_to_count(
      bars,
      "one list of values for each series",
      [](BarsFigure & f) -> auto& { return f.series; },
      [](BarsFigure & f) -> auto& { return f.values; });
  expect_each_to_count(
      bars,
      "one value for each category",
      [](BarsFigure & f) -> auto& { return f.categories; },
      [](BarsFigure & f) -> auto& { return f.values[1]; });
}

TEST(CheckShapes, ATableHasACellForEachColumn) {
  expect_each_to_count(
      TableFigure{{"a", "b"}, {{"1", "2"}, {"3", "4"}}},
      "one cell for each column",
      [](TableFigure & f) -> auto& { return f.columns; },
      [](TableFigure & f) -> auto& { return f.rows[0]; });
}

TEST(CheckShapes, AMeshIsAtMost4096WideAndHigh) {
  EXPECT_EQ(complaint(MeshFigure{4096, 4096}), "no error");
  EXPECT_EQ(complaint(MeshFigure{0, 0}), "no error");
  for (const auto& [width, height] :
       {std::pair{4097, 1}, std::pair{1, 4097}, std::pair{-1, 1}, std::pair{1, -1}})
    EXPECT_THAT(complaint(MeshFigure{width, height}), HasSubstr("a mesh is at most 4096 wide and high"));
}

TEST(CheckShapes, CoresStandInsideTheMesh) {
  for (const auto& [x, y] : {std::pair{0, 0}, std::pair{2, 1}})
    EXPECT_EQ(complaint(MeshFigure{3, 2, "", {{x, y, 1, "c"}}}), "no error");
  for (const auto& [x, y] : {std::pair{3, 0}, std::pair{0, 2}, std::pair{-1, 0}, std::pair{0, -1}})
    EXPECT_THAT(
        complaint(MeshFigure{3, 2, "", {{x, y, 1, "c"}}}),
        HasSubstr("d.json: figures[1]: error: lengths do not agree: a core lies outside the mesh"));
}

}  // namespace
}  // namespace lento::finding
