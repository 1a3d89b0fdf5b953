// Orders causes before consequences. A rank that has not arrived, a node that its scheduler took out, a
// process that ended first and a failed job are symptoms. When a part of the same host is broken or slow,
// that part is reported first as the cause, and the symptom is added to its finding. A job that became slower
// is explained by the part with an event so near to that time that chance hardly explains it, else by a part
// that is slow, and only then by a fault without a time. Unrelated moments are uniform over the span of the
// job, so that the nearest of n lies within d of a given one with the probability 1 - (1 - 2 d / span)^n.
#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "desk/incident/judge.h"
#include "desk/read/ends.h"

namespace lento::desk {
namespace {

using finding::Finding;

std::string host_of(const Finding& finding) {
  return finding.where ? finding.where->host : "";
}

// Returns whether a finding is about a host as a whole and comes from an event: Slurm or Kubernetes took the
// node out. That the kernel killed a process is a cause.
bool is_state_of_node(const Finding& finding) {
  const bool is_event = (finding.category.starts_with("fault") && finding.category != "fault of a program") ||
                        finding.category.starts_with("consequence");
  return is_event && finding.subject == host_of(finding);
}

// Returns whether a finding is about a process that failed, by its program or by its hardware.
bool is_of_process(const Finding& finding) {
  return finding.category == "fault of hardware or a program" && finding.where &&
         !finding.where->rank.empty();
}

// Returns whether a finding is about a measurement between two hosts.
bool is_between(const Finding& finding) {
  return ends_of(host_of(finding)).size() > 1;
}

bool is_symptom(const Finding& finding) {
  return is_of_process(finding) || is_between(finding) || finding.category.starts_with("hang") ||
         finding.category == "common to the failed jobs" || finding.category == "a process ended first" ||
         is_state_of_node(finding);
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
      const std::vector<std::string> hosts = ends_of(host_of(symptom));
      const bool is_here = !hosts[0].empty() && std::ranges::find(hosts, host_of(kept[i])) != hosts.end();
      if (is_here && (best == causes || kept[i].score > kept[best].score))
        best = i;
    }
    // A process that ended after the only part whose hardware failed ended because of it, on whichever host.
    if (best == causes && is_of_process(symptom)) {
      const auto is_before = [&](const Finding& cause) {
        return cause.category == "faulty hardware" && is_broken(cause) && cause.when &&
               (!symptom.when || cause.when->begin <= symptom.when->begin);
      };
      const auto failed =
          std::ranges::find_if(kept.begin(), kept.begin() + std::ptrdiff_t(causes), is_before);
      if (failed != kept.begin() + std::ptrdiff_t(causes) &&
          std::none_of(failed + 1, kept.begin() + std::ptrdiff_t(causes), is_before))
        best = size_t(failed - kept.begin());
    }
    if (best < causes)
      place_under(kept[best], symptom);
    else
      kept.push_back(std::move(symptom));
  }
  findings = std::move(kept);
  finding::sort_findings(findings);
}

std::optional<finding::Evidence>
nearness(double distance, size_t moments, const std::optional<finding::TimeWindow>& span) {
  constexpr double kUnlikely = 0.1;
  if (!span)
    return std::nullopt;
  const double length = std::max(span->end - span->begin, 1.0);
  const double chance = 1 - std::pow(1 - std::min(1.0, 2 * distance / length), double(moments));
  if (chance > kUnlikely)
    return std::nullopt;
  const std::string which =
      moments == 1 ? "the one event" : "the nearest of " + std::to_string(moments) + " events";
  return finding::Evidence{
      which + " in this log of " + base::format_measure(length, "s") + " lies " +
          base::format_measure(distance, "s") +
          " from the moment at which the job became slower; unrelated, it lies as near " +
          false_alarm_text(chance),
      chance,
      "",
      "uniform moments"};
}

size_t explain_job(
    std::vector<finding::Finding>& parts,
    const finding::Finding& job,
    const std::optional<finding::TimeWindow>& span) {
  size_t nearest = parts.size();
  size_t moments = 0;
  const auto apart = [&](size_t i) {
    return std::abs(parts[i].when->begin - job.when->begin);
  };
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool is_during = job.when && parts[i].when && span && parts[i].when->end >= span->begin;
    moments += is_during;
    if (is_during && (nearest == parts.size() || apart(i) < apart(nearest)))
      nearest = i;
  }
  if (nearest < parts.size()) {
    if (auto evidence = nearness(apart(nearest), moments, span)) {
      parts[nearest].evidence.push_back(*std::move(evidence));
      return nearest;
    }
  }
  const auto slow = std::ranges::find_if(parts, [&](const Finding& part) {
    return is_slow_part(part) && !(part.when && span && part.when->end < span->begin);
  });
  if (slow != parts.end())
    return size_t(slow - parts.begin());
  // Without a time of its own, a part is the likelier cause only where no time speaks against it.
  const auto untimed = std::ranges::find_if(parts, [&](const Finding& part) {
    return !part.when || !job.when;
  });
  return size_t(untimed - parts.begin());
}

}  // namespace lento::desk
