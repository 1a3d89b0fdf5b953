#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "base/number.h"
#include "base/test_error.h"
#include "lento/lento.h"

namespace lento {
namespace {

using base::test::error_of;
using ::testing::HasSubstr;

struct Table {
  std::vector<int32_t> device = {0, 1, -1, 0};
  std::vector<int64_t> m = {4096, 17, 64, -5};
  std::vector<double> n = {128, 64, 8, std::nan("")};
  std::vector<int64_t> k = {64, 64, 64, 64};
  std::vector<int32_t> note = {0, 1, -1, 0};

  std::vector<Column> columns() const {
    return {
        {"device", {}, {}, device, {"H100", "A100"}},
        {"note", {}, {}, note, {"a,b", "say \"x\""}},
        {"m", m},
        {"n", {}, n},
        {"k", k}};
  }
};

TEST(PredictColumns, AnswersAsTheSameTableInAFile) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("columns." + std::to_string(::getpid()) + ".csv")).string();
  base::write_file(path, "device,m,n,k\nH100,4096,128,64\nA100,17,64,64\n");
  const std::string text = predict_table(path);
  std::filesystem::remove(path);
  const Answers answers = predict_columns(Table().columns());
  ASSERT_EQ(answers.seconds.size(), 4u);
  for (size_t row = 0; row < 2; ++row) {
    EXPECT_GT(answers.seconds[row], 0);
    EXPECT_THAT(text, HasSubstr("," + answers.bounds.at(size_t(answers.bound[row])) + ","));
  }
  const size_t line = text.find("H100,4096,128,64,") + 17;
  EXPECT_EQ(base::parse_double(text.substr(line, text.find(',', line) - line), {}), answers.seconds[0]);
}

TEST(PredictColumns, ARowWithoutAnAnswerKeepsItsPlace) {
  const Answers answers = predict_columns(Table().columns());
  for (size_t row : {2u, 3u}) {  // no device; a size below one, and none
    EXPECT_TRUE(std::isnan(answers.seconds[row]));
    EXPECT_EQ(answers.bound[row], -1);
    EXPECT_EQ(answers.in_domain[row], -1);
  }
}

TEST(PredictColumns, WhatIsNoTableIsAnError) {
  Table table;
  table.k.pop_back();
  EXPECT_THAT(
      error_of([&] {
        predict_columns(table.columns());
      }),
      HasSubstr("'device' and 'k' differ in length"));
  EXPECT_THAT(
      error_of([] {
        predict_columns({});
      }),
      HasSubstr("no columns"));
}

TEST(PredictColumns, AStopEndsIt) {
  std::vector<int64_t> sizes(100'000, 64);
  const std::vector<int32_t> device(sizes.size(), 0);
  Progress progress;
  progress.stop = [] {
    return true;
  };
  EXPECT_ANY_THROW(predict_columns(
      {{"device", {}, {}, device, {"H100"}}, {"m", sizes}, {"n", sizes}, {"k", sizes}},
      {},
      progress));
}

}  // namespace
}  // namespace lento
