#include "lab/chip/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "chip/map/binary_tree.h"
#include "chip/map/file/map_file.h"
#include "spec/chip.h"

namespace lento::chip {
namespace {

WorldOptions tree(const std::string& rows) {
  const std::string folder = testing::TempDir();
  const spec::Chip chip;
  std::ofstream(folder + "world.chip.yaml") << spec::write_chip(chip);
  std::ofstream(folder + "world.map.json")
      << write_map(map_binary_tree({.depth = 4, .size = 192, .passes = 24}, chip));
  return {
      .chip = folder + "world.chip.yaml",
      .mapping = folder + "world.map.json",
      .rows = rows,
      .healthy = 1,
      .faulty = 2};
}

TEST(World, RowsHaveNamesOfTheirOwn) {
  std::vector<std::string> names = world_rows();
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  EXPECT_GE(names.size(), 18U);
}

TEST(World, CountsEveryRunOnceAndNamesNoHealthyPart) {
  const WorldOptions options = tree("as the file says|counters of 32 bits|whole chip x1.25");
  const std::vector<WorldRow> rows = run_world(options);
  ASSERT_EQ(rows.size(), 3U);
  for (const WorldRow& row : rows) {
    EXPECT_EQ(row.healthy, 1) << row.name;
    EXPECT_EQ(row.accused, 0) << row.name;
    EXPECT_EQ(row.right + row.faulty_unsure + row.wrong, row.faulty) << row.name;
  }
  EXPECT_EQ(rows[2].whole, 1);
  const finding::Diagnosis d = world_table(rows, options);
  EXPECT_THAT(d.verdict, testing::HasSubstr("0 of 3"));
}

TEST(World, RefusesABrokenExpression) {
  EXPECT_THROW(run_world(tree("(")), base::Error);
}

}  // namespace
}  // namespace lento::chip
