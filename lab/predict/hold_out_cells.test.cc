// What an answer says of its own error.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "lab/predict/training_runs.h"
#include "lab/predict/validate.h"
#include "predict/time/hold_out.h"

namespace lento::predict {
namespace {

TEST(HoldOut, OfAStrangerEveryChipSaysAsMuch) {
  const ErrorsByChip errors{
      {"measured often", std::vector<double>(10'000, 0.1)},
      {"measured", std::vector<double>(40, 0.3)},
      {"hardly measured", std::vector<double>(2, 0.9)}};
  EXPECT_EQ(quantile_of_chips(errors, 0.4), 0.1);
  EXPECT_EQ(quantile_of_chips(errors, 0.6), 0.3);
  EXPECT_EQ(quantile_of_chips(errors, 0.94), 0.3);  // a tenth of a chip: 0.1 of 2.1
  EXPECT_EQ(quantile_of_chips(errors, 0.96), 0.9);
  EXPECT_EQ(quantile_of_chips({}, 0.9), 0);
}

TEST(HoldOut, CellsAreQuantilesByRegimeAndOfAllRegimes) {
  std::vector<SeenError> errors;
  for (size_t i = 0; i < 2 * kFewestRows; ++i)
    errors.push_back({"gemm", "h100", i % 2 ? "small" : "large", i % 2 ? 0.4 : 0.1});
  errors.push_back({"gemm", "h100", "tiny", 5});  // one row says nothing of its regime
  errors.push_back({"gemm", "a100", "small", 5});
  std::map<std::string, HoldOutCell> cells;
  for (const HoldOutCell& cell : cells_of(errors))
    cells[cell.chip + "/" + cell.regime] = cell;
  ASSERT_TRUE(cells.contains("h100/small"));
  EXPECT_EQ(cells.at("h100/small").rows, kFewestRows);
  EXPECT_NEAR(cells.at("h100/small").p50, 0.4, 1e-12);
  EXPECT_NEAR(cells.at("h100/large").p90, 0.1, 1e-12);
  EXPECT_FALSE(cells.contains("h100/tiny"));
  EXPECT_FALSE(cells.contains("a100/small"));
  ASSERT_TRUE(cells.contains("h100/"));
  EXPECT_EQ(cells.at("h100/").rows, 2 * kFewestRows + 1);
  EXPECT_NEAR(cells.at("h100/").p90, 0.4, 1e-12);
  EXPECT_TRUE(cells_of({}).empty());
}

// The statement is the measurement: where the measured tables are present, they give the shipped figures.
TEST(HoldOut, TheShippedTableIsWhatTheMeasuredTablesGive) {
  const std::string folder = published_tables();
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "no measured tables";
  const std::vector<HoldOutCell> now = hold_out_cells(folder);
  const std::vector<HoldOutCell>& shipped = shipped_hold_out();
  ASSERT_EQ(now.size(), shipped.size());
  for (size_t i = 0; i < now.size(); ++i) {
    const std::string cell = now[i].kind + ", " + now[i].chip + ", " + now[i].regime;
    EXPECT_EQ(cell, shipped[i].kind + ", " + shipped[i].chip + ", " + shipped[i].regime);
    EXPECT_EQ(now[i].rows, shipped[i].rows) << cell;
    EXPECT_NEAR(now[i].p50, shipped[i].p50, 0.01 * now[i].p50 + 1e-4) << cell;
    EXPECT_NEAR(now[i].p90, shipped[i].p90, 0.01 * now[i].p90 + 1e-4) << cell;
  }
}

}  // namespace
}  // namespace lento::predict
