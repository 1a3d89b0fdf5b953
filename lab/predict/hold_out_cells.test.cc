// What an answer says of its own error.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

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

// The statement is the measurement: where the measured tables are present, they give the shipped figures.
TEST(HoldOut, TheShippedTableIsWhatTheMeasuredTablesGive) {
  const char* shared = std::getenv("LENTO_SHARED");
  const std::string folder = std::string(shared ? shared : "../shared") + "/data/predict";
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
