#include "finding/finding.h"

#include <algorithm>

namespace lento::finding {

void sort_findings(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.score != b.score ? a.score > b.score : a.subject < b.subject;
  });
}

void add_read_report(Diagnosis& diagnosis, const base::ReadReport& report) {
  diagnosis.records_taken += report.taken;
  diagnosis.records_skipped += report.skipped;
  for (const auto& [reason, count] : report.reasons) diagnosis.skip_reasons.emplace_back(reason, count);
}

}  // namespace lento::finding
