// Answers questions and diagnoses metrics given as tables in memory. A table is written as CSV to a memory
// file and parsed by the reader of CSV files, so that a row means the same in C++, in Python and on the
// command line. For questions, writing the CSV costs a few per cent of the time.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/scan/csv.h"
#include "lento/lento.h"
#include "predict/table.h"

namespace lento {
namespace {

size_t rows_of(const Column& column) {
  return std::max({column.integers.size(), column.numbers.size(), column.codes.size()});
}

// Returns the number of rows. Throws base::Error when columns differ in length.
size_t rows_of(const std::vector<Column>& table) {
  if (table.empty())
    throw Error({"table"}, "the table has no columns");
  for (const Column& column : table)
    if (rows_of(column) != rows_of(table[0]))
      throw Error({"table"}, "columns '" + table[0].name + "' and '" + column.name + "' differ in length");
  return rows_of(table[0]);
}

template <typename Number>
void append_number(std::string& text, Number value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// Appends one cell of the table to a line of CSV. A missing value becomes an empty field.
void append_field(std::string& text, const Column& column, size_t row) {
  if (!column.integers.empty()) {
    append_number(text, column.integers[row]);
  } else if (!column.numbers.empty()) {
    if (!std::isnan(column.numbers[row]))
      append_number(text, column.numbers[row]);
  } else if (const int32_t code = column.codes[row]; code >= 0) {
    text += column.words.at(size_t(code));
  }
}

void write_all(int descriptor, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t done = ::write(descriptor, text.data() + at, text.size() - at);
    if (done <= 0)
      throw Error({"table"}, "no memory for the table");
    at += size_t(done);
  }
}

// Quotes the words for CSV where needed, each distinct word once instead of once per row.
std::vector<Column> quoted(std::vector<Column> table) {
  for (Column& column : table)
    for (std::string& word : column.words)
      word = base::csv_field(word);
  return table;
}

void write_table(const std::vector<Column>& given, size_t rows, int file) {
  constexpr size_t kPiece = size_t{1} << 20;
  const std::vector<Column> table = quoted(given);
  std::string text;
  for (const Column& column : table)
    text += (text.empty() ? "" : ",") + base::csv_field(column.name);
  text += '\n';
  for (size_t row = 0; row < rows; ++row) {
    for (size_t c = 0; c < table.size(); ++c) {
      if (c > 0)
        text += ',';
      append_field(text, table[c], row);
    }
    text += '\n';
    if (text.size() > kPiece) {
      write_all(file, text);
      text.clear();
    }
  }
  write_all(file, text);
}

int8_t index_of(const std::string& bound, std::vector<std::string>& bounds) {
  const auto index = std::ranges::find(bounds, bound) - bounds.begin();
  if (index == std::ssize(bounds))
    bounds.push_back(bound);
  return int8_t(index);
}

// Appends the answer of one row to the columns of `answers`. A null pointer marks a row that has no answer.
void append(Answers& answers, const predict::Answer* answer) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  answers.seconds.push_back(answer ? answer->seconds : kNone);
  answers.bound.push_back(answer ? index_of(answer->bound, answers.bounds) : int8_t{-1});
  answers.p50_pct.push_back(answer ? 100 * answer->p50 : kNone);
  answers.p90_pct.push_back(answer ? 100 * answer->p90 : kNone);
  answers.in_domain.push_back(answer ? int8_t{answer->in_domain} : int8_t{-1});
}

}  // namespace

TableFile::TableFile(const std::vector<Column>& table)
    : rows_(rows_of(table)),
      descriptor_(::memfd_create("table", MFD_CLOEXEC)) {
  if (descriptor_ < 0)
    throw Error({"table"}, "no memory for the table");
  try {
    write_table(table, rows_, descriptor_);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

TableFile::~TableFile() {
  ::close(descriptor_);
}

std::string TableFile::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor_);
}

Answers
predict_columns(const std::vector<Column>& table, const std::string& system, const Progress& progress) {
  const TableFile file(table);
  const size_t rows = file.rows();
  Answers answers;
  for (auto* column : {&answers.seconds, &answers.p50_pct, &answers.p90_pct})
    column->reserve(rows);
  const auto row = [&](const std::vector<std::string>&, const predict::Answer* answer) {
    append(answers, answer);
  };
  predict::answer_rows({file.path(), system, false}, {[](const auto&, bool) {}, row}, progress);
  if (answers.seconds.size() != rows)
    throw Error({"questions"}, "a field holds a line break or a table row was not whole");
  return answers;
}

Diagnosis
diagnose_fleet(const std::vector<Column>& table, const FleetQuestion& question, const Progress& progress) {
  const TableFile file(table);
  FleetQuestion job = question;
  job.csv = {file.path()};
  if (job.shown_as.empty())
    job.shown_as = "table";
  return diagnose_fleet(job, progress);
}

}  // namespace lento
