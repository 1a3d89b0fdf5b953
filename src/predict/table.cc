// Answers a table of questions row by row, so that a table of any length needs the memory of one row.
#include "predict/table.h"

#include <algorithm>
#include <optional>

#include "base/scan/csv.h"
#include "base/units.h"
#include "predict/system.h"
#include "predict/time/question.h"

namespace lento::predict {
namespace {

using base::ReadReport;

const std::vector<std::string> kAnswers{"predicted_s", "bound", "p50_pct", "p90_pct", "domain"};

// Returns the fields of an answer: seconds, bound, the errors in per cent that half and nine tenths of
// predictions do not exceed, and whether the question lies in the validated range.
std::vector<std::string> texts_of(const Answer& a) {
  return {
      base::format_exact(a.seconds),
      a.bound,
      base::format_number(100 * a.p50, 3),
      base::format_number(100 * a.p90, 3),
      a.in_domain ? "in" : "out"};
}

// Returns the reason for which most rows failed.
std::string commonest(const ReadReport& report) {
  const auto most = std::ranges::max_element(report.reasons, [](const auto& a, const auto& b) {
    return a.second < b.second;
  });
  if (most == report.reasons.end())
    return "";
  return most->first;
}

}  // namespace

// Answers each row of a table of questions in file order and passes the result to `rows`.
ReadReport answer_rows(const TableOptions& options, const AnswerRows& rows, const base::Progress& progress) {
  constexpr uint64_t kRowsBetweenLooks = 1024;
  ReadReport report;
  report.strict = options.strict;
  base::CsvReader table(options.table, report);
  const Dialect dialect = dialect_of(table);
  std::optional<System> fixed;
  if (!options.system.empty())
    fixed = system_of(options.system);
  rows.header(table.columns(), table.is_json_lines());
  uint64_t answered = 0;
  while (table.next()) {
    if (report.taken % kRowsBetweenLooks == 0)
      progress.throw_if_stopped();
    std::optional<Answer> answered_row;
    try {
      const Question question = parse_question(dialect, table);
      answered_row = answer(system_for(fixed ? &*fixed : nullptr, question), question);
      ++answered;
    } catch (const base::Error& e) {
      report.skip(table.where(-1), e.what());
    }
    rows.row(table.row(), answered_row ? &*answered_row : nullptr);
  }
  if (answered == 0 && report.skipped > 0)
    throw base::Error(
        report.first_skip,
        "none of the " + std::to_string(report.skipped) + " rows can be answered; most: " + commonest(report),
        "docs/formats/questions.md lists what a row may ask");
  return report;
}

// Answers a table row by row: CSV input yields columns, JSON lines yield objects.
ReadReport answer_table(const TableOptions& options, const TableRow& row) {
  bool json_lines = false;
  const auto header = [&](std::vector<std::string> columns, bool objects) {
    json_lines = objects;
    columns.insert(columns.end(), kAnswers.begin(), kAnswers.end());
    row(columns, json_lines);
  };
  const auto answered = [&](std::vector<std::string> fields, const Answer* answer) {
    const std::vector<std::string> texts =
        answer ? texts_of(*answer) : std::vector<std::string>(kAnswers.size());
    fields.insert(fields.end(), texts.begin(), texts.end());
    row(fields, json_lines);
  };
  return answer_rows(options, {header, answered});
}

}  // namespace lento::predict
