// For tests: a table of one row, as a question and as a measurement.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "predict/time/question.h"

namespace lento::predict::test {

// The only row of a table with these two lines.
class OneRow {
 public:
  OneRow(const std::string& header, const std::string& row)
      : table_(written(header, row), report_) {
    EXPECT_TRUE(table_.next());
  }
  const base::CsvReader& table() const {
    return table_;
  }
  Dialect dialect() const {
    return dialect_of(table_);
  }
  Question question() const {
    return parse_question(dialect(), table_);
  }
  std::optional<double> measured() const {
    return measured_s(dialect(), table_);
  }

 private:
  static std::string written(const std::string& header, const std::string& row) {
    const std::string path = testing::TempDir() + "/lento_one_row.csv";
    std::ofstream(path) << header << "\n" << row << "\n";
    return path;
  }
  base::ReadReport report_;
  base::CsvReader table_;
};

}  // namespace lento::predict::test
