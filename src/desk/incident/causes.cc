// Orders causes before consequences. A rank that has not arrived, a node that its scheduler took out, a
// process that ended first and a failed job are symptoms. When a part of the same host is broken or slow,
// that part is reported first as the cause, and the symptom is added to its finding. A job that became slower
// is explained by the part that changed at that time, else by a part that is slow, and only then by a fault
// without effect on speed.
#include <algorithm>
#include <cmath>

#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

using finding::Finding;

std::string host_of(const Finding& finding) {
  return finding.where ? finding.where->host : "";
}

// Returns whether a finding is about a host as a whole and comes from an event: Slurm or Kubernetes took the
// node out.
bool is_state_of_node(const Finding& finding) {
  const bool is_event = finding.category.starts_with("fault") || finding.category.starts_with("consequence");
  return is_event && finding.subject == host_of(finding);
}

bool is_symptom(const Finding& finding) {
  return finding.category.starts_with("hang") || finding.category == "common to the failed jobs" ||
         finding.category == "a process ended first" || is_state_of_node(finding);
}

bool is_slow_part(const Finding& finding) {
  return finding.category.starts_with("unlike its peers") || finding.category.starts_with("below what") ||
         finding.category == "straggler" || finding.category.starts_with("deviating");
}

// Makes the symptom part of the cause's finding.
void place_under(Finding& cause, const Finding& symptom) {
  cause.summary += "; what followed: " + symptom.summary;
  cause.evidence.push_back({"what followed: " + symptom.summary, std::nullopt, "", symptom.category});
  cause.evidence.insert(cause.evidence.end(), symptom.evidence.begin(), symptom.evidence.end());
  // A part that explains a symptom gets a higher score than the symptom alone and than a part that explains
  // none.
  constexpr double kSurest = 0.99;
  cause.score = std::clamp(std::max(cause.score, symptom.score) + 0.01, 0.0, kSurest);
}

}  // namespace

void place_symptoms(std::vector<Finding>& findings) {
  std::vector<Finding> kept;
  for (Finding& finding : findings)
    if (!is_symptom(finding))
      kept.push_back(finding);
  const size_t causes = kept.size();
  for (Finding& symptom : findings) {
    if (!is_symptom(symptom))
      continue;
    size_t best = causes;
    for (size_t i = 0; i < causes; ++i) {
      const bool is_here = !host_of(symptom).empty() && host_of(kept[i]) == host_of(symptom);
      if (is_here && (best == causes || kept[i].score > kept[best].score))
        best = i;
    }
    if (best < causes)
      place_under(kept[best], symptom);
    else
      kept.push_back(std::move(symptom));
  }
  findings = std::move(kept);
  finding::sort_findings(findings);
}

size_t
explains_job(const std::vector<finding::Finding>& parts, const finding::Finding& job, double job_begin) {
  size_t nearest = parts.size();
  size_t untimed = parts.size();
  const auto apart = [&](size_t i) {
    return std::abs(parts[i].when->begin - job.when->begin);
  };
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool was_over = parts[i].when && parts[i].when->end < job_begin;
    if (!was_over && untimed == parts.size())
      untimed = i;
    if (!was_over && job.when && parts[i].when && (nearest == parts.size() || apart(i) < apart(nearest)))
      nearest = i;
  }
  if (nearest < parts.size())
    return nearest;
  const auto slow = std::ranges::find_if(parts, is_slow_part);
  return slow == parts.end() ? untimed : size_t(slow - parts.begin());
}

}  // namespace lento::desk
