// Runs the judges and joins their findings. Findings about the same subject become one: the one with the
// highest score leads, and the evidence of the others is added to it.
#include "desk/incident/incident.h"

#include <algorithm>
#include <map>
#include <set>

namespace lento::desk {
namespace {

using Judge = void (*)(const Records&, const JudgeOptions&, Judgement&);
constexpr Judge kJudges[] = {
    judge_hangs,      judge_stacks, judge_progress, judge_counts,     judge_completions,  judge_events,
    judge_states,     judge_census, judge_samples,  judge_standstill, judge_extremes,     judge_onset,
    judge_spreads,    judge_runs,   judge_pairs,    judge_serving,    judge_speed_of_job, judge_jobs,
    judge_job_shares, judge_unread, judge_endings,
};

// Adds an event to a finding by comparison, because what happened to a part is more specific than its
// deviation from peers: "...; slowed down by hardware at 107 C".
void add_event(finding::Finding& lead, const finding::Finding& other) {
  const std::string begin = lead.subject + ": ";
  if (other.summary.starts_with(begin) && !lead.summary.starts_with(begin))
    lead.summary += "; " + other.summary.substr(begin.size());
}

// Adds the evidence of another finding about the same part to `lead`, the one with the higher score.
void absorb(finding::Finding& lead, finding::Finding& other) {
  add_event(lead, other);
  if (other.summary != lead.summary)
    lead.evidence.push_back({other.summary, std::nullopt, "", other.category});
  for (finding::Evidence& evidence : other.evidence)
    lead.evidence.push_back(std::move(evidence));
  // Findings of different categories rest on different rows, so that both together are less likely to be
  // wrong than either alone. The score of the joined finding is at most kSurest.
  constexpr double kSurest = 0.99;
  const auto kind = [](const finding::Finding& finding) {
    return finding.category.substr(0, finding.category.find(':'));
  };
  if (kind(lead) != kind(other))
    lead.score = std::min(kSurest, 1 - (1 - lead.score) * (1 - other.score));
  if (!lead.factor) {
    lead.factor = other.factor;
    lead.factor_of = other.factor_of;
  }
  if (!lead.when)
    lead.when = other.when;
  if (lead.next_step.empty())
    lead.next_step = other.next_step;
}

// Gives findings about a rank the host that another finding states for it, because they are about one part.
void place_ranks(std::vector<finding::Finding>& findings) {
  std::map<std::string, const finding::Finding*> placed;
  for (const finding::Finding& finding : findings) {
    if (!finding.where || finding.where->rank.empty() || finding.where->host.empty())
      continue;
    const auto [at, is_new] = placed.try_emplace(finding.where->rank, &finding);
    if (!is_new && at->second && at->second->where->host != finding.where->host)
      at->second = nullptr;  // ranks of two jobs
  }
  for (finding::Finding& finding : findings) {
    if (!finding.where || finding.where->rank.empty() || !finding.where->host.empty())
      continue;
    const auto at = placed.find(finding.where->rank);
    if (at == placed.end() || !at->second || finding.subject != "rank " + finding.where->rank)
      continue;
    const std::string begin = finding.subject;
    finding.subject = at->second->subject;
    finding.where = at->second->where;
    if (finding.summary.starts_with(begin))
      finding.summary.replace(0, begin.size(), finding.subject);
  }
}

// Joins findings about the same part.
void join_by_subject(std::vector<finding::Finding>& findings) {
  place_ranks(findings);
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
  finding::sort_findings(findings);
}

bool names_a_part(const finding::Finding& finding) {
  return finding.where &&
         (!finding.where->host.empty() || !finding.where->rank.empty() || !finding.where->gpu.empty());
}

// Adds the finding that the job became slower to the finding about the part that explains it. When no finding
// names a part, the part is an open question, because a log of the job as a whole does not show it.
void place_job(const Records& records, Judgement& judgement) {
  auto& findings = judgement.findings;
  std::vector<finding::Finding> of_job;
  std::vector<finding::Finding> parts;
  for (finding::Finding& finding : findings)
    (finding.subject == kTheJob ? of_job : parts).push_back(std::move(finding));
  if (of_job.empty()) {
    findings = std::move(parts);
    return;
  }
  size_t cause = std::ranges::any_of(parts, names_a_part)
                     ? explain_job(parts, of_job[0], span_of_job(records))
                     : parts.size();
  if (cause == parts.size() && of_job[0].when) {
    if (auto part = part_with_event_at(records, of_job[0].when->begin))
      parts.push_back(*std::move(part));
  }
  if (cause < parts.size()) {
    const auto lead_at = parts.begin() + std::ptrdiff_t(cause);
    lead_at->score = std::max(lead_at->score, parts[0].score);
    std::rotate(parts.begin(), lead_at, lead_at + 1);
    for (finding::Finding& finding : of_job) {
      finding::Finding& lead = parts[0];
      if (&finding == &of_job[0])
        lead.summary += "; the job followed: " + finding.summary;
      lead.evidence.push_back({"what followed: " + finding.summary, std::nullopt, "", finding.category});
      for (finding::Evidence& evidence : finding.evidence)
        lead.evidence.push_back(std::move(evidence));
    }
    findings = std::move(parts);
    return;
  }
  judgement.open.push_back(
      {"which machine or rank it is: a log of the job as a whole does not show it",
       "values of each rank at that time: straggler lines (Megatron --log-straggler), NCCL Inspector logs "
       "(NCCL_PROFILER_PLUGIN), a metrics exporter of every host, or nvidia-smi --query-gpu ... --format=csv "
       "-l 5"});
  findings = std::move(of_job);
  for (finding::Finding& finding : parts)
    findings.push_back(std::move(finding));
}

// Returns whether a scheduler states an event: that of a node or pod of the whole cluster.
bool is_of_scheduler(const Event& event) {
  return event.kind.starts_with("slurm/") || event.kind.starts_with("kubernetes/") ||
         !field(event, "reason").empty();
}

// Returns the hosts of which more than a scheduler's list speaks.
std::set<std::string> hosts_seen(const Records& records) {
  std::set<std::string> hosts;
  for (const Series& series : records.series())
    hosts.insert(records.subjects()[series.subject].host);
  for (const Event& event : records.events())
    if (!is_of_scheduler(event))
      hosts.insert(event.subject.host);
  for (const Run& run : records.runs()) {
    hosts.insert(run.subject.host);
    hosts.insert(run.members.begin(), run.members.end());
  }
  hosts.erase("");
  return hosts;
}

// Returns whether only a scheduler speaks of a part, and never after the last sample of the job.
bool is_outside(
    const Records& records,
    const finding::Finding& finding,
    const std::set<std::string>& seen,
    const std::optional<finding::TimeWindow>& job) {
  if (finding.where && seen.contains(finding.where->host))
    return false;
  size_t count = 0;
  for (const Event& event : records.events()) {
    if (event.severity == Severity::Note || subject_text(event.subject) != finding.subject)
      continue;
    ++count;
    if (!is_of_scheduler(event) || (job && event.time.clock == Clock::Unix && event.time.seconds >= job->end))
      return false;
  }
  return count > 0;
}

// Makes a note of what need not be of the job. Where the job's own log shows a job that neither failed nor
// became slower: a fault of a program without a time, and a node or pod of which only a scheduler speaks.
// Where a part is named: such nodes, what was over before the job began, and faults of programs if its
// hardware broke.
void set_aside_others(const Records& records, Judgement& judgement) {
  const std::optional<finding::TimeWindow> span = span_of_job(records);
  const std::set<std::string> seen = hosts_seen(records);
  const auto outside = [&](const finding::Finding& finding) {
    return is_outside(records, finding, seen, span);
  };
  const auto need_not_be = [&](const finding::Finding& finding) {
    const bool is_program = finding.category == "fault of a program" && !finding.when;
    return finding.subject != kTheJob && (is_program || outside(finding));
  };
  const bool is_steady = has_course_of_job(records) && std::ranges::all_of(judgement.findings, need_not_be) &&
                         std::ranges::none_of(records.events(), [&](const Event& event) {
                           return is_ending(event) && !job_went_on(records, event);
                         });
  const auto is_program = [](const finding::Finding& finding) {
    return finding.category == "fault of a program";
  };
  const auto is_past = [&](const finding::Finding& finding) {
    return span && finding.when && finding.when->end < span->begin;
  };
  const bool has_part = std::ranges::any_of(judgement.findings, [&](const finding::Finding& finding) {
    return names_a_part(finding) && !is_program(finding) && !is_past(finding) && !outside(finding);
  });
  const bool has_hardware = std::ranges::any_of(judgement.findings, is_broken);
  if (!is_steady && !has_part)
    return;
  std::erase_if(judgement.findings, [&](const finding::Finding& finding) {
    const bool is_other = finding.subject != kTheJob &&
                          ((has_hardware && is_program(finding)) || is_past(finding) || outside(finding));
    if (!(has_part ? is_other : need_not_be(finding)))
      return false;
    judgement.notes.push_back(
        finding.summary + " (" + finding.evidence[0].source + "), which need not be of the job" +
        (is_steady ? ", whose log shows no effect" : ""));
    return true;
  });
  std::erase_if(judgement.open, [&](const OpenQuestion& open) {
    if (open.host.empty() || seen.contains(open.host))
      return false;
    judgement.notes.push_back(open.reason + ", which need not be of the job");
    return true;
  });
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts)
    text += (text.empty() ? "" : between) + part;
  return text;
}

// Sets the outcome and the verdict of the diagnosis from its findings and from the open questions.
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
  if (covered.empty() && out.findings.empty()) {
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
    out.notes.push_back("Cannot judge: " + reason + ". What would help: " + remedy);
  if (out.findings.empty()) {
    out.verdict =
        judgement.all_clear.empty() ? "Nothing is wrong in what these files show" : judgement.all_clear;
    return;
  }
  out.verdict = out.findings[0].summary;
  if (out.findings.size() > 1)
    out.verdict += "; and " + std::to_string(out.findings.size() - 1) + " more";
}

// Adds to the coverage of the verdict each file that could have shown a fault and shows none.
void add_covers(const Records& records, Judgement& judgement) {
  std::map<std::string, size_t> files;
  for (const SourceFile& file : records.files)
    for (const std::string& covers : file.covers)
      ++files[covers];
  for (const auto& [covers, count] : files)
    judgement.covered.push_back(covers + " (" + std::to_string(count) + (count == 1 ? " file)" : " files)"));
}

// Adds the findings and the coverage of the other modules. Their open questions stay notes, because the logs
// may answer them.
void add_beside(const std::vector<finding::Diagnosis>& verdicts, Judgement& judgement) {
  for (const finding::Diagnosis& verdict : verdicts) {
    judgement.findings.insert(judgement.findings.end(), verdict.findings.begin(), verdict.findings.end());
    if (verdict.outcome == finding::Outcome::CannotJudge)
      judgement.notes.push_back(verdict.title + " cannot be judged: " + verdict.reason);
    else if (!verdict.covered.empty())
      judgement.covered.push_back(verdict.covered);
  }
}

}  // namespace

// Applies all judgements to the records and concludes.
finding::Diagnosis judge_incident(const Records& records, const JudgeOptions& options) {
  Judgement judgement;
  for (const Judge judge : kJudges)
    judge(records, options, judgement);
  add_covers(records, judgement);
  add_beside(options.beside, judgement);
  finding::Diagnosis out;
  out.scale = "desk";
  out.title = "Incident";
  join_by_subject(judgement.findings);
  place_symptoms(judgement.findings);
  set_aside_others(records, judgement);
  place_job(records, judgement);
  draw_lanes(records, judgement);
  draw_peers(records, judgement);
  out.findings = std::move(judgement.findings);
  out.figures = std::move(judgement.figures);
  out.facts = std::move(judgement.facts);
  out.notes = std::move(judgement.notes);
  conclude(judgement, out);
  return out;
}

}  // namespace lento::desk
