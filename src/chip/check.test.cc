#include "chip/check.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_error.h"

namespace lento::chip {
namespace {

ChipCheckOptions tiny() {
  ChipCheckOptions options;
  options.chip = "examples/chip/4x4.yaml";
  options.mapping = "examples/chip/tiny.map.json";
  options.inferences = 2;
  return options;
}

const finding::TableFigure* classes_of(const finding::Diagnosis& d) {
  for (const finding::Figure& f : d.figures)
    if (f.title == "Classes")
      return &std::get<finding::TableFigure>(f.body);
  return nullptr;
}

TEST(ChipCheck, ClassesAreListedWhenAskedFor) {
  EXPECT_EQ(classes_of(chip_check(tiny())), nullptr);
  ChipCheckOptions options = tiny();
  options.classes = true;
  const finding::Diagnosis d = chip_check(options);
  const finding::TableFigure* table = classes_of(d);
  ASSERT_NE(table, nullptr);
  ASSERT_FALSE(table->rows.empty());
  for (const auto& row : table->rows)
    EXPECT_NE(row[0].find(" or "), std::string::npos) << row[0];
  EXPECT_EQ(d.facts.back().second, table->rows.back()[0]);
}

// In the time of a fault less passes than in the whole run: its class is no smaller.
TEST(ChipCheck, TheClassOfAFaultIsThatOfItsTime) {
  ChipCheckOptions options = tiny();
  options.faults = testing::TempDir() + "/faults.yaml";
  base::write_file(
      options.faults,
      "schema: lento.faults/1\nfaults:\n"
      "- {component: lsu0, factor: 3, start: 0, end: 100000}\n"
      "- {component: lsu0, factor: 3, start: 90000000, end: 90000001}\n");
  const finding::Diagnosis d = chip_check(options);
  const finding::TableFigure* table = classes_of(d);
  ASSERT_NE(table, nullptr);
  ASSERT_EQ(table->rows.size(), 2u);
  EXPECT_EQ(table->rows[0][0], "lsu0");
  EXPECT_NE(table->rows[0][1].find("lsu0"), std::string::npos);
  EXPECT_EQ(table->rows[1][1], "lsu0");  // after the run: nothing passes it, it stands alone
  options.faults = "nowhere.yaml";
  EXPECT_THROW(chip_check(options), base::Error);
}

}  // namespace
}  // namespace lento::chip
