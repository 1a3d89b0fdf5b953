#include "fleet/scan/history.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lento::fleet {
namespace {

const ScanFleet kFleet{{"a", "b"}, {}, {"power", "temp"}, 1000, 0};

TEST(History, ColumnsHoldTheMeansOfAsManyRows) {
  History history(kFleet);
  constexpr int kRows = 5000;
  for (int t = 0; t < kRows; ++t)
    history.push(t * 1000, std::vector<float>{float(t), t % 2 ? NAN : 7.0f, NAN, 1});
  const MetricSeries s = history.series(kFleet);
  EXPECT_GT(s.steps, 256u);
  EXPECT_LE(s.steps, 512u);
  EXPECT_EQ(s.step_ms, 16'000);
  EXPECT_EQ(s.values.size(), s.steps * 4);
  for (size_t step = 0; step + 1 < s.steps; ++step) {
    EXPECT_FLOAT_EQ(s.at(0, step, 0), float(step) * 16 + 7.5f);
    EXPECT_FLOAT_EQ(s.at(0, step, 1), 7);
    EXPECT_TRUE(std::isnan(s.at(1, step, 0)));
    EXPECT_FLOAT_EQ(s.at(1, step, 1), 1);
  }
}

TEST(History, IsEmptyBeforeARowAndBeginsAnewWhereRowsJump) {
  History history(kFleet);
  EXPECT_EQ(history.series(kFleet).steps, 0u);
  history.push(0, std::vector<float>(4, 1));
  history.push(1000, std::vector<float>(4, 2));
  EXPECT_EQ(history.series(kFleet).steps, 2u);
  history.push(9000, std::vector<float>(4, 3));
  EXPECT_EQ(history.series(kFleet).steps, 1u);
  EXPECT_EQ(history.series(kFleet).begin_ms, 9000);
}

}  // namespace
}  // namespace lento::fleet
