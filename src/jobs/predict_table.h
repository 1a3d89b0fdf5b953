// A table of questions answered row by row: `lento predict --table FILE`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/read_report.h"

namespace lento::jobs {

struct TableOptions {
  std::string table;   // '-' is standard input
  std::string system;  // empty: each row names its device
  bool strict = false;
};

// Takes the header, then each row with its answer; a row that cannot be answered keeps its columns, with
// empty answers.
using TableRow = std::function<void(const std::vector<std::string>& fields)>;

// Returns how many rows were read and which were not answered, by reason. Throws base::Error when no row of a
// table that has rows can be answered.
base::ReadReport answer_table(const TableOptions& options, const TableRow& row);

}  // namespace lento::jobs
