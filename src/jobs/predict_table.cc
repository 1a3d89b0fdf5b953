#include "jobs/predict_table.h"

#include <algorithm>
#include <optional>

#include "base/csv.h"
#include "base/units.h"
#include "jobs/predict_system.h"
#include "predict/time/question.h"

namespace lento::jobs {
namespace {

const std::vector<std::string> kAnswers{"predicted_s", "bound", "p50_pct", "p90_pct", "domain"};

std::vector<std::string> answer_of(const std::optional<predict::System>& fixed, const predict::Question& q) {
  const predict::Answer a = predict::answer(predict::system_for(fixed ? &*fixed : nullptr, q), q);
  return {
      base::format_exact(a.seconds),
      a.bound,
      base::format_number(100 * a.p50, 3),
      base::format_number(100 * a.p90, 3),
      a.in_domain ? "in" : "out"};
}

// The reason that most rows failed for.
std::string commonest(const base::ReadReport& report) {
  const auto most = std::ranges::max_element(report.reasons, [](const auto& a, const auto& b) {
    return a.second < b.second;
  });
  return most == report.reasons.end() ? "" : most->first;
}

}  // namespace

base::ReadReport answer_table(const TableOptions& options, const TableRow& row) {
  base::ReadReport report;
  report.strict = options.strict;
  base::CsvReader table(options.table, report);
  const predict::Dialect dialect = predict::dialect_of(table);
  std::optional<predict::System> fixed;
  if (!options.system.empty())
    fixed = system_of(options.system);
  std::vector<std::string> fields = table.columns();
  fields.insert(fields.end(), kAnswers.begin(), kAnswers.end());
  row(fields);
  uint64_t answered = 0;
  while (table.next()) {
    fields = table.row();
    std::vector<std::string> answers(kAnswers.size());
    try {
      answers = answer_of(fixed, predict::parse_question(dialect, table));
      ++answered;
    } catch (const base::Error& e) {
      report.skip(table.where(-1), e.what());
    }
    fields.insert(fields.end(), answers.begin(), answers.end());
    row(fields);
  }
  if (answered == 0 && report.skipped > 0)
    throw base::Error(
        report.first_skip,
        "none of the " + std::to_string(report.skipped) + " rows can be answered; most: " + commonest(report),
        "docs/formats/questions.md lists what a row may ask");
  return report;
}

}  // namespace lento::jobs
