// Runs the judges and joins what they found. Findings of one subject are one finding: the surest leads, and
// the evidence of the others stands under it.
#include "desk/incident/incident.h"

#include <algorithm>
#include <map>

namespace lento::desk {
namespace {

using Judge = void (*)(const Records&, const JudgeOptions&, Judgement&);
constexpr Judge kJudges[] = {
    judge_hangs,
    judge_events,
    judge_states,
};

void absorb(finding::Finding& lead, finding::Finding& other) {
  if (other.summary != lead.summary)
    lead.evidence.push_back({other.summary, std::nullopt, "", other.category});
  for (finding::Evidence& evidence : other.evidence)
    lead.evidence.push_back(std::move(evidence));
  if (!lead.factor)
    lead.factor = other.factor;
  if (!lead.when)
    lead.when = other.when;
  if (lead.next_step.empty())
    lead.next_step = other.next_step;
}

void join_by_subject(std::vector<finding::Finding>& findings) {
  finding::sort_findings(findings);
  std::map<std::string, size_t> first;
  std::vector<finding::Finding> joined;
  for (finding::Finding& finding : findings) {
    const auto [at, is_new] = first.try_emplace(finding.subject, joined.size());
    if (is_new)
      joined.push_back(std::move(finding));
    else
      absorb(joined[at->second], finding);
  }
  findings = std::move(joined);
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts)
    text += (text.empty() ? "" : between) + part;
  return text;
}

void conclude(Judgement& judgement, finding::Diagnosis& out) {
  const std::string covered = joined(judgement.covered, "; ");
  std::vector<std::string> reasons;
  std::vector<std::string> remedies;
  for (const OpenQuestion& open : judgement.open) {
    reasons.push_back(open.reason);
    if (std::ranges::find(remedies, open.remedy) == remedies.end())
      remedies.push_back(open.remedy);
  }
  const std::string reason = joined(reasons, "; ");
  const std::string remedy = joined(remedies, "; ");
  if (out.findings.empty() && !reasons.empty()) {
    finding::cannot_judge(out, reason, remedy, covered);
    return;
  }
  if (covered.empty()) {
    finding::cannot_judge(
        out,
        "nothing in these files has a peer, a limit or a meaning that it could be compared with",
        "the same files of the other hosts or ranks of the job");
    return;
  }
  finding::judged(out, covered);
  out.reason = reason;
  out.remedy = remedy;
  if (!reasons.empty())
    out.notes.push_back("Cannot judge: " + reason + ". It would help to have " + remedy);
  if (out.findings.empty()) {
    out.verdict = "Nothing is wrong in what these files show";
    return;
  }
  out.verdict = out.findings[0].summary;
  if (out.findings.size() > 1)
    out.verdict += "; and " + std::to_string(out.findings.size() - 1) + " more";
}

}  // namespace

finding::Diagnosis judge_incident(const Records& records, const JudgeOptions& options) {
  Judgement judgement;
  for (const Judge judge : kJudges)
    judge(records, options, judgement);
  finding::Diagnosis out;
  out.scale = "desk";
  out.title = "Incident";
  join_by_subject(judgement.findings);
  out.findings = std::move(judgement.findings);
  out.figures = std::move(judgement.figures);
  out.notes = std::move(judgement.notes);
  conclude(judgement, out);
  return out;
}

}  // namespace lento::desk
