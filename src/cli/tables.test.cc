#include "cli/tables.h"

#include <gtest/gtest.h>

namespace lento::cli {
namespace {

using finding::Diagnosis;
using finding::TableFigure;

TEST(TablesAsText, ColumnsStandUnderTheirNames) {
  Diagnosis d;
  d.figures = {{"Sizes", "", TableFigure{{"name", "n"}, {{"a", "1"}, {"longest", "22"}}}}};
  EXPECT_EQ(tables_as_text(d), "\nSizes\nname     n\na        1\nlongest  22\n");
}

TEST(TablesAsText, OnlyTablesAreShown) {
  Diagnosis d;
  d.figures = {{"map", "", finding::HeatMapFigure{}}, {"bars", "", finding::BarsFigure{}}};
  EXPECT_EQ(tables_as_text(d), "");
}

TEST(TablesAsText, LongOnesAreCutAndSaySo) {
  Diagnosis d;
  d.figures = {{"t", "", TableFigure{{"c"}, std::vector<std::vector<std::string>>(61, {"x"})}}};
  const auto lines = [&](size_t most) {
    const std::string text = tables_as_text(d, most);
    return std::ranges::count(text, '\n');
  };
  EXPECT_EQ(lines(61), 3 + 61);
  EXPECT_EQ(lines(60), 3 + 60 + 1);
  EXPECT_NE(tables_as_text(d).find("(1 more rows with --figures)"), std::string::npos);
  EXPECT_EQ(tables_as_text(d, 61).find("more rows"), std::string::npos);
}

TEST(TablesAsText, ARowThatIsTooLongOrShortDoesNoHarm) {
  Diagnosis d;
  d.figures = {{"t", "", TableFigure{{"a", "b"}, {{"1"}, {"1", "2", "3"}}}}};
  EXPECT_EQ(tables_as_text(d), "\nt\na  b\n1\n1  2\n");
}

TEST(TablesAsText, AHiddenRowDoesNotWiden) {
  Diagnosis d;
  d.figures = {{"t", "", TableFigure{{"a", "b"}, {{"1", "2"}, {"a very long cell", "3"}}}}};
  EXPECT_EQ(tables_as_text(d, 1), "\nt\na  b\n1  2\n(1 more rows with --figures)\n");
}

}  // namespace
}  // namespace lento::cli
