// A table of questions answered row by row: `lento predict --table FILE`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/read_report.h"
#include "predict/time/question.h"

namespace lento::predict {

struct TableOptions {
  std::string table;   // '-' is standard input
  std::string system;  // empty: each row names its device
  bool strict = false;
};

// Takes the columns and whether the table is JSON Lines, and each row as it was read with its answer;
// nullptr: it has none.
struct AnswerRows {
  std::function<void(const std::vector<std::string>& columns, bool json_lines)> header;
  std::function<void(const std::vector<std::string>& fields, const Answer* answer)> row;
};

// Returns how many rows were read and which were not answered, by reason. Throws base::Error when no row of a
// table that has rows can be answered, and when it was stopped.
base::ReadReport
answer_rows(const TableOptions& options, const AnswerRows& rows, const base::Progress& progress = {});

// The same as text. Takes the header, then each row with its answer; a row that cannot be answered keeps its
// columns, with empty answers. Tells each time whether the questions came as JSON Lines.
using TableRow = std::function<void(const std::vector<std::string>& fields, bool json_lines)>;
base::ReadReport answer_table(const TableOptions& options, const TableRow& row);

}  // namespace lento::predict
