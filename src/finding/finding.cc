// Ends every detector: sets the outcome, sorts findings and copies the counts of the readers. A detector may
// not end without an outcome, because an empty list of findings could mean healthy or not examined.
#include "finding/finding.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/units.h"

namespace lento::finding {

const char* name(Outcome outcome) {
  switch (outcome) {
    case Outcome::Findings:
      return "findings";
    case Outcome::Healthy:
      return "healthy";
    case Outcome::CannotJudge:
      return "cannot judge";
    case Outcome::Answer:
      break;
  }
  return "answer";
}

void set_ratio(Finding& finding, double seen, double expected, const std::string& quantity) {
  const double ratio = seen / expected;
  if (!std::isfinite(ratio) || ratio <= 0)
    return;
  finding.factor = std::max(ratio, 1 / ratio);
  finding.factor_of = (std::fabs(seen) < std::fabs(expected) ? "less " : "more ") + quantity;
}

std::string factor_text(const Finding& finding) {
  if (!finding.factor || !std::isfinite(*finding.factor))
    return {};
  const double times = *finding.factor;
  const bool less = finding.factor_of.starts_with("less ");
  const bool more = finding.factor_of.starts_with("more ");
  if ((less || more) && times < 2)
    return base::percent(less ? 1 - 1 / times : times - 1) + " " + finding.factor_of;
  const std::string of = finding.factor_of.empty() ? "slower" : finding.factor_of;
  return base::format_number(times, 3) + " times " + of;
}

void judged(Diagnosis& diagnosis, std::string covered) {
  for (Finding& finding : diagnosis.findings) {
    if (finding.factor && !(*finding.factor >= 1))
      finding.factor.reset();
  }
  diagnosis.outcome = diagnosis.findings.empty() ? Outcome::Healthy : Outcome::Findings;
  LENTO_CHECK(!covered.empty(), "a verdict that does not say what was looked at");
  diagnosis.covered = std::move(covered);
}

void cannot_judge(Diagnosis& diagnosis, std::string reason, std::string remedy, std::string covered) {
  diagnosis.outcome = Outcome::CannotJudge;
  diagnosis.findings.clear();
  diagnosis.verdict = "Cannot judge: " + reason;
  diagnosis.reason = std::move(reason);
  diagnosis.remedy = std::move(remedy);
  diagnosis.covered = std::move(covered);
}

void sort_findings(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
    if (a.score != b.score)
      return a.score > b.score;
    return a.subject < b.subject;
  });
}

void add_read_report(Diagnosis& diagnosis, const base::ReadReport& report) {
  diagnosis.records_taken += report.taken;
  diagnosis.records_skipped += report.skipped;
  for (const auto& [reason, count] : report.reasons)
    diagnosis.skip_reasons.emplace_back(reason, count);
}

}  // namespace lento::finding
