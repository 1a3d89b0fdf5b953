// Saved answers of range queries: machines from labels, rates of counters, labels that divide a metric,
// damage.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "base/error.h"
#include "base/test_error.h"
#include "fleet/read/source.h"

namespace lento::fleet {
namespace {

class RangeAnswer : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& result, const char* status = "success") {
    const std::string path = ::testing::TempDir() + "lento_range_" + name + ".json";
    std::ofstream(path) << R"({"status": ")" << status << R"(", "data": {"resultType": "matrix", "result": [)"
                        << result << "]}}";
    paths_.push_back(path);
    return path;
  }
  MetricSeries read() {
    RangeOptions options;
    options.paths = paths_;
    return read_range_answers(options, report_);
  }
  void TearDown() override {
    for (const std::string& path : paths_)
      std::remove(path.c_str());
  }
  static std::string series(const std::string& labels, const std::string& values) {
    return R"({"metric": {)" + labels + R"(}, "values": [)" + values + "]}";
  }
  static constexpr const char* kLevels = R"([1000, "5"], [1015, "6"], [1030, "7"])";

  std::vector<std::string> paths_;
  base::ReadReport report_;
};

TEST_F(RangeAnswer, MachinesComeFromLabelsOfAllFiles) {
  file(
      "clock",
      series(R"("__name__": "clock", "instance": "a:9100")", kLevels) + "," +
          series(R"("__name__": "clock", "instance": "b:9100")", kLevels));
  file("power", series(R"("__name__": "power", "instance": "a:9100")", kLevels));
  const MetricSeries s = read();
  EXPECT_EQ(s.machines, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(s.metrics, (std::vector<std::string>{"clock", "power"}));
  EXPECT_EQ(s.step_ms, 15000);
}

TEST_F(RangeAnswer, ACounterIsARateAndAnExpressionHasTheNameOfItsFile) {
  const std::string labels = R"("__name__": "bytes_total", "instance": "a:9100")";
  file("sent", series(labels, R"([0, "10"], [10, "110"], [20, "310"], [30, "5"], [40, "25"])"));
  file("busy", series(R"("instance": "a:9100")", R"([10, "1"], [20, "2"], [30, "2"], [40, "2"])"));
  const MetricSeries s = read();
  ASSERT_EQ(s.metrics, (std::vector<std::string>{"bytes_total", "lento_range_busy"}));
  EXPECT_FLOAT_EQ(s.at(0, 0, 0), 10);
  EXPECT_FLOAT_EQ(s.at(0, 0, 1), 20);
  EXPECT_FLOAT_EQ(s.at(0, 0, 3), 2);  // after a reset
}

TEST_F(RangeAnswer, LabelsThatDivideAMetricAreInItsName) {
  const auto of = [&](const char* mode, const char* host) {
    return series(
        std::string(R"("__name__": "cpu", "job": "node", "mode": ")") + mode + R"(", "instance": ")" + host +
            R"(")",
        kLevels);
  };
  file("cpu", of("idle", "a") + "," + of("user", "a") + "," + of("idle", "b") + "," + of("user", "b"));
  EXPECT_EQ(read().metrics, (std::vector<std::string>{"cpu{mode=idle}", "cpu{mode=user}"}));
}

TEST_F(RangeAnswer, DamageIsSkippedAndCounted) {
  file(
      "clock",
      series(
          R"("__name__": "clock", "instance": "a")",
          std::string(kLevels) + R"(, [1045, "NaN"], [1], [1060, "8"])") +
          "," + series(R"("__name__": "clock")", kLevels));
  EXPECT_EQ(read().machines.size(), 1u);
  EXPECT_EQ(report_.skipped, 3u);
}

TEST_F(RangeAnswer, AFailedQueryIsRefused) {
  const std::string path = file("failed", "", "error");
  EXPECT_NE(
      base::test::error_of([&] {
        read();
      }).find("not the answer of a query that succeeded"),
      std::string::npos);
}

TEST_F(RangeAnswer, OnlyAMatrixIsOfAPeriod) {
  EXPECT_TRUE(is_range_answer(R"({"data":{"resultType":"matrix","result":[)"));
  EXPECT_FALSE(is_range_answer(R"({"data":{"resultType": "vector","result":["matrix")"));
}

}  // namespace
}  // namespace lento::fleet
