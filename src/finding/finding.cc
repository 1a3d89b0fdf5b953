// Ends every detector: sets the outcome, sorts findings and copies the counts of the readers. A detector may
// not end without an outcome, because an empty list of findings could mean healthy or not examined.
#include "finding/finding.h"

#include <algorithm>

#include "base/error.h"

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

void judged(Diagnosis& diagnosis, std::string covered) {
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
