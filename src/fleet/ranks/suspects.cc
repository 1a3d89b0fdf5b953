// Concludes a diagnosis that rests on durations of collectives or on their means alone. These show which
// rank arrives last, but never that all are healthy, so without a suspect there is no verdict.
#include "fleet/ranks/suspects.h"

namespace lento::fleet {

void end_suspicion(finding::Diagnosis& d, const NoSuspect& none, const std::string& covered) {
  if (d.findings.empty()) {
    finding::cannot_judge(d, none.reason, none.remedy, covered);
    return;
  }
  finding::sort_findings(d.findings);
  d.verdict = d.findings.front().summary + ".";
  finding::judged(d, covered);
}

}  // namespace lento::fleet
