// Answers a table of questions row by row: `lento predict --table FILE`.
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

// Callbacks for the output. `header` receives the columns, and whether the table is JSON Lines. `row`
// receives each row as it was read, and its answer, which is nullptr when the row cannot be answered.
struct AnswerRows {
  std::function<void(const std::vector<std::string>& columns, bool json_lines)> header;
  std::function<void(const std::vector<std::string>& fields, const Answer* answer)> row;
};

// Answers all rows. Reports the number of rows read and the reasons for rows without an answer. Throws
// base::Error when no row can be answered although the table has rows, and when the user stops it.
base::ReadReport
answer_rows(const TableOptions& options, const AnswerRows& rows, const base::Progress& progress = {});

// Like answer_rows, with answers formatted as text. `row` receives the header first, then each row followed
// by its answer. A row that cannot be answered has empty answers. `json_lines` is true when the questions
// came as JSON Lines.
using TableRow = std::function<void(const std::vector<std::string>& fields, bool json_lines)>;
base::ReadReport answer_table(const TableOptions& options, const TableRow& row);

}  // namespace lento::predict
